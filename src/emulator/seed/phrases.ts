/**
 * Sentences of seeded conversations. `{m}` measure, `{d}` dimension, `{p}` period, `{top}` `{topv}`
 * `{low}` `{lowv}` the extremes, `{agg}` total or average, `{chg}` the change against the period before.
 */

import type { SeedLanguage } from './measures.js';

export interface Phrases {
  readonly session: string;
  readonly questions: readonly [string, ...string[]];
  readonly heading: string;
  readonly finding: string;
  readonly extremes: string;
  readonly change: string;
  readonly total: string;
  readonly average: string;
  readonly plan: string;
  readonly imageName: string;
  readonly followUps: readonly [string, ...string[]];
  /** Between groups of three digits, and before decimals. */
  readonly digits: readonly [string, string];
}

// prettier-ignore
export const PHRASES: Readonly<Record<SeedLanguage, Phrases>> = {
  EN: {
    session: '{m} by {d}', questions: ['How did {m} develop by {d} in {p}?', 'Which {d} stands out in {m} for {p}, and why? 🤔', 'Please compare {m} by {d} with the period before ({p}) and draw a chart.'],
    heading: '{m} by {d}, {p}', finding: '**{agg}: {value}** over {n} rows.', extremes: '**{top}** leads with {topv}; **{low}** comes last with {lowv}.', change: 'Against the period before that is {chg} %.',
    total: 'Total', average: 'Average', plan: 'I will load the data sources, group {m} by {d}, compare with the period before, and draw the result.', imageName: 'A chart of {m} by {d} in {p}, compared with the period before',
    followUps: ['What drives the difference between {top} and {low}?', 'How will {m} develop next quarter?', 'Which outliers should we look into? 🔍'], digits: [',', '.'],
  },
  DE: {
    session: '{m} nach {d}', questions: ['Wie hat sich {m} nach {d} im Zeitraum {p} entwickelt?', 'Bitte vergleiche {m} je {d} mit dem Vorzeitraum ({p}). 📊', 'Was fällt bei {m} nach {d} auf ({p})?'],
    heading: '{m} nach {d}, {p}', finding: '**{agg}: {value}** über {n} Zeilen.', extremes: '**{top}** führt mit {topv}, **{low}** liegt mit {lowv} am Ende.', change: 'Gegenüber dem Vorzeitraum sind das {chg} %.',
    total: 'Summe', average: 'Durchschnitt', plan: 'Ich lade die Datenquellen, gruppiere {m} nach {d}, vergleiche mit dem Vorzeitraum und zeichne das Ergebnis.', imageName: 'Diagramm: {m} nach {d} im Zeitraum {p}, größte Unterschiede zuerst',
    followUps: ['Woran liegt der Abstand zwischen {top} und {low}?', 'Wie geht es im nächsten Quartal weiter?'], digits: ['.', ','],
  },
  FR: {
    session: '{m} par {d}', questions: ['Comment évolue le {m} par {d} sur {p} ?', 'Compare {m} par {d} à la période précédente ({p}), s’il te plaît. ☕', 'Où sont les écarts de {m} par {d} ({p}) ?'],
    heading: '{m} par {d}, {p}', finding: '**{agg} : {value}** sur {n} lignes.', extremes: '**{top}** arrive en tête avec {topv} ; **{low}** est dernier avec {lowv}.', change: 'Par rapport à la période précédente : {chg} %.',
    total: 'Total', average: 'Moyenne', plan: 'Je charge les sources, je regroupe {m} par {d}, je compare à la période précédente et je trace le résultat.', imageName: 'Graphique : {m} par {d}, {p} (périodes comparées)',
    followUps: ['Pourquoi un tel écart entre {top} et {low} ?', 'Quelle prévision pour le prochain trimestre ?'], digits: ['\u202f', ','],
  },
  ES: {
    session: '{m} por {d}', questions: ['¿Cómo evolucionó {m} por {d} en {p}?', '¿Qué {d} destaca en {m} ({p})? 🌶️', 'Compara {m} por {d} con el período anterior ({p}).'],
    heading: '{m} por {d}, {p}', finding: '**{agg}: {value}** en {n} filas.', extremes: '**{top}** encabeza con {topv}; **{low}** queda al final con {lowv}.', change: 'Frente al período anterior: {chg} %.',
    total: 'Total', average: 'Promedio', plan: 'Cargo las fuentes, agrupo {m} por {d}, comparo con el período anterior y dibujo el resultado.', imageName: 'Gráfico de {m} por {d} en {p}, ¡con comparación!',
    followUps: ['¿Por qué hay tanta diferencia entre {top} y {low}?', '¿Qué pasará el próximo trimestre?'], digits: ['.', ','],
  },
  PT: {
    session: '{m} por {d}', questions: ['Como evoluiu {m} por {d} em {p}?', 'Qual {d} se destaca em {m} ({p})?', 'Compare {m} por {d} com o período anterior ({p}). 🙏'],
    heading: '{m} por {d}, {p}', finding: '**{agg}: {value}** em {n} linhas.', extremes: '**{top}** lidera com {topv}; **{low}** fica em último com {lowv}.', change: 'Em relação ao período anterior: {chg} %.',
    total: 'Total', average: 'Média', plan: 'Vou carregar as fontes, agrupar {m} por {d}, comparar com o período anterior e desenhar o resultado.', imageName: 'Gráfico de {m} por {d} em {p}',
    followUps: ['O que explica a diferença entre {top} e {low}?', 'Qual é a previsão para o próximo trimestre?'], digits: ['.', ','],
  },
  JA: {
    session: '{d}別の{m}', questions: ['{p}の{d}別{m}はどう推移しましたか？', '{m}を{d}別に前期と比較してください（{p}）。📈', '{p}の{m}で目立つ{d}はどれですか？'],
    heading: '{d}別の{m}（{p}）', finding: '**{agg}：{value}**（{n}行）', extremes: '最大は**{top}**の{topv}、最小は**{low}**の{lowv}です。', change: '前期比は{chg} %です。',
    total: '合計', average: '平均', plan: 'データソースを読み込み、{m}を{d}別に集計し、前期と比較してグラフにします。', imageName: '{p}の{d}別{m}を前期と比べたグラフ',
    followUps: ['{top}と{low}の差の原因は何ですか？', '次の四半期の見通しは？'], digits: [',', '.'],
  },
  'ZH-CN': {
    session: '按{d}统计的{m}', questions: ['{p}各{d}的{m}变化如何？', '请按{d}比较{p}与上期的{m}，并画图。📊', '{p}的{m}中哪个{d}最突出？'],
    heading: '按{d}统计的{m}（{p}）', finding: '**{agg}：{value}**，共 {n} 行。', extremes: '最高的是**{top}**（{topv}），最低的是**{low}**（{lowv}）。', change: '与上期相比变化 {chg} %。',
    total: '合计', average: '平均值', plan: '我将读取数据源，按{d}汇总{m}，与上期比较并绘图。', imageName: '{p}按{d}统计的{m}与上期对比图',
    followUps: ['{top}和{low}之间的差距来自哪里？', '下个季度会怎样？'], digits: [',', '.'],
  },
  AR: {
    session: '{m} حسب {d}', questions: ['كيف تطورت {m} حسب {d} خلال {p}؟', 'قارن {m} حسب {d} بالفترة السابقة ({p}) من فضلك. 📉', 'ما أبرز النتائج في {m} حسب {d} ({p})؟'],
    heading: '{m} حسب {d}، {p}', finding: '**{agg}: {value}** في {n} صفوف.', extremes: 'الأعلى **{top}** بقيمة {topv}، والأدنى **{low}** بقيمة {lowv}.', change: 'مقارنة بالفترة السابقة: {chg} %.',
    total: 'المجموع', average: 'المتوسط', plan: 'سأحمّل مصادر البيانات وأجمع {m} حسب {d} وأقارنها بالفترة السابقة ثم أرسم النتيجة.', imageName: 'رسم بياني: {m} حسب {d} خلال {p}',
    followUps: ['ما سبب الفرق بين {top} و{low}؟', 'ما التوقعات للربع القادم؟'], digits: [',', '.'],
  },
  RU: {
    session: '{m} по {d}', questions: ['Как менялся показатель «{m}» по {d} за {p}?', 'Сравни показатель «{m}» по {d} с прошлым периодом ({p}). 🧮', 'Где выбросы в показателе «{m}» ({p})?'],
    heading: '{m} по {d}, {p}', finding: '**{agg}: {value}** по {n} строкам.', extremes: 'Больше всего у **{top}** — {topv}, меньше всего у **{low}** — {lowv}.', change: 'К прошлому периоду: {chg} %.',
    total: 'Итого', average: 'Среднее', plan: 'Загружу источники, сгруппирую показатель «{m}» по {d}, сравню с прошлым периодом и построю график.', imageName: 'График: {m} по {d}, {p}',
    followUps: ['Почему {top} так отличается от {low}?', 'Каков прогноз на следующий квартал?'], digits: ['\u00a0', ','],
  },
  HI: {
    session: '{d} के अनुसार {m}', questions: ['{p} में {d} के अनुसार {m} कैसे बदला?', '{m} की {d} के अनुसार पिछली अवधि से तुलना करें ({p})। 🪔', '{p} में {m} में कौन-सा {d} अलग दिखता है?'],
    heading: '{d} के अनुसार {m}, {p}', finding: '**{agg}: {value}**, {n} पंक्तियाँ।', extremes: '**{top}** {topv} के साथ सबसे आगे है; **{low}** {lowv} के साथ सबसे पीछे।', change: 'पिछली अवधि की तुलना में {chg} %।',
    total: 'कुल', average: 'औसत', plan: 'मैं डेटा लोड करूँगा, {d} के अनुसार {m} जोड़ूँगा, पिछली अवधि से तुलना करूँगा और चार्ट बनाऊँगा।', imageName: '{p} में {d} के अनुसार {m} का चार्ट',
    followUps: ['{top} और {low} में अंतर क्यों है?', 'अगली तिमाही में क्या होगा?'], digits: [',', '.'],
  },
};

/** Fills the braces; what has no value stays. */
export function fillPhrase(phrase: string, values: Readonly<Record<string, string>>): string {
  return phrase.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** With the language's separators. */
export function formatNumber(value: number, decimals: number, { digits }: Phrases): string {
  const [whole = '', fraction = ''] = Math.abs(value).toFixed(decimals).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, digits[0]);
  return `${value < 0 ? '-' : ''}${grouped}${fraction === '' ? '' : digits[1] + fraction}`;
}
