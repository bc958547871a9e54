/** What is measured and by what it is broken down, in every seeded language. */

type Words = Readonly<Record<SeedLanguage, string>>;

/** In the order EN, DE, FR, ES, PT, JA, ZH-CN, AR, RU, HI. */
function words(...texts: readonly string[]): Words {
  const [EN = '', DE = '', FR = '', ES = '', PT = '', JA = '', ZH = '', AR = '', RU = '', HI = ''] =
    texts;
  return { EN, DE, FR, ES, PT, JA, 'ZH-CN': ZH, AR, RU, HI };
}

// prettier-ignore
export const MEASURES = {
  revenue: words('revenue', 'Umsatz', 'chiffre d’affaires', 'ingresos', 'receita', '売上高', '营业收入', 'الإيرادات', 'выручка', 'राजस्व'),
  churn: words('churn rate', 'Abwanderungsrate', 'taux d’attrition', 'tasa de abandono', 'taxa de churn', '解約率', '流失率', 'معدل فقدان العملاء', 'отток клиентов', 'ग्राहक छोड़ने की दर'),
  tickets: words('support tickets', 'Supportanfragen', 'tickets d’assistance', 'tickets de soporte', 'chamados de suporte', '問い合わせ件数', '支持工单', 'تذاكر الدعم', 'обращения в поддержку', 'सपोर्ट टिकट'),
  deliveryDays: words('delivery time in days', 'Lieferzeit in Tagen', 'délai de livraison en jours', 'plazo de entrega en días', 'prazo de entrega em dias', '配送日数', '配送天数', 'مدة التسليم بالأيام', 'срок доставки в днях', 'डिलीवरी के दिन'),
  headcount: words('headcount', 'Personalbestand', 'effectif', 'plantilla', 'quadro de pessoal', '従業員数', '员工人数', 'عدد الموظفين', 'численность персонала', 'कर्मचारियों की संख्या'),
  energy: words('energy use in MWh', 'Energieverbrauch in MWh', 'consommation d’énergie en MWh', 'consumo de energía en MWh', 'consumo de energia em MWh', 'エネルギー使用量（MWh）', '能耗（MWh）', 'استهلاك الطاقة بالميغاواط ساعة', 'расход энергии в МВт·ч', 'ऊर्जा खपत (MWh)'),
  returns: words('returned orders', 'Retouren', 'retours', 'devoluciones', 'devoluções', '返品数', '退货数量', 'الطلبات المرتجعة', 'возвраты', 'वापस किए गए ऑर्डर'),
  leads: words('qualified leads', 'qualifizierte Leads', 'prospects qualifiés', 'clientes potenciales', 'leads qualificados', '有望リード数', '合格线索', 'العملاء المحتملون', 'квалифицированные лиды', 'योग्य लीड'),
  stock: words('stock on hand', 'Lagerbestand', 'stock disponible', 'existencias', 'estoque disponível', '在庫数', '库存量', 'المخزون المتاح', 'складские остатки', 'उपलब्ध स्टॉक'),
  downtime: words('downtime in hours', 'Stillstand in Stunden', 'heures d’arrêt', 'horas de parada', 'horas de parada', '停止時間', '停机小时数', 'ساعات التوقف', 'простой в часах', 'डाउनटाइम (घंटे)'),
  satisfaction: words('satisfaction score', 'Zufriedenheit', 'score de satisfaction', 'índice de satisfacción', 'índice de satisfação', '満足度スコア', '满意度得分', 'درجة الرضا', 'оценка удовлетворённости', 'संतुष्टि स्कोर'),
  sessions: words('website visits', 'Websitebesuche', 'visites du site', 'visitas al sitio web', 'visitas ao site', 'サイト訪問数', '网站访问量', 'زيارات الموقع', 'посещения сайта', 'वेबसाइट विज़िट'),
  spend: words('marketing spend', 'Marketingausgaben', 'dépenses marketing', 'gasto en marketing', 'gastos de marketing', '広告費', '营销支出', 'الإنفاق التسويقي', 'расходы на маркетинг', 'मार्केटिंग खर्च'),
  emissions: words('CO₂ emissions in t', 'CO₂-Ausstoß in t', 'émissions de CO₂ en t', 'emisiones de CO₂ en t', 'emissões de CO₂ em t', 'CO₂排出量（t）', '二氧化碳排放（吨）', 'انبعاثات CO₂ بالطن', 'выбросы CO₂ в т', 'CO₂ उत्सर्जन (टन)'),
} as const satisfies Record<string, Words>;

// prettier-ignore
export const DIMENSIONS = {
  region: words('region', 'Region', 'région', 'región', 'região', '地域', '地区', 'المنطقة', 'регионам', 'क्षेत्र'),
  month: words('month', 'Monat', 'mois', 'mes', 'mês', '月', '月份', 'الشهر', 'месяцам', 'महीना'),
  product: words('product line', 'Produktlinie', 'gamme de produits', 'línea de producto', 'linha de produtos', '製品ライン', '产品线', 'خط الإنتاج', 'продуктовым линейкам', 'उत्पाद श्रेणी'),
  team: words('team', 'Team', 'équipe', 'equipo', 'equipe', 'チーム', '团队', 'الفريق', 'командам', 'टीम'),
  carrier: words('carrier', 'Spediteur', 'transporteur', 'transportista', 'transportadora', '運送会社', '承运商', 'شركة النقل', 'перевозчикам', 'वाहक'),
  site: words('site', 'Standort', 'site', 'centro', 'unidade', '拠点', '站点', 'الموقع', 'площадкам', 'साइट'),
  channel: words('channel', 'Kanal', 'canal', 'canal', 'canal', 'チャネル', '渠道', 'القناة', 'каналам', 'चैनल'),
  plan: words('plan', 'Tarif', 'formule', 'plan', 'plano', 'プラン', '套餐', 'الباقة', 'тарифам', 'प्लान'),
} as const satisfies Record<string, Words>;

export type Measure = keyof typeof MEASURES;
export type Dimension = keyof typeof DIMENSIONS;

/** The languages of seeded sessions, in turn; English twice. */
export const SEED_LANGUAGES = [
  'EN',
  'DE',
  'FR',
  'ES',
  'PT',
  'JA',
  'EN',
  'ZH-CN',
  'AR',
  'RU',
  'HI',
] as const;

export type SeedLanguage = (typeof SEED_LANGUAGES)[number];

/** The text with its first letter as a capital, in scripts that have them. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
