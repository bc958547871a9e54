/** What people look for and what they read: each is found, or is not, wherever a search looks. */

export interface SearchExample {
  /** As somebody types it. */
  readonly sought: string;
  /** The answer, in Markdown. */
  readonly said: string;
  readonly isFound: boolean;
}

const found = (said: string, ...all: string[]): SearchExample[] =>
  all.map((sought) => ({ sought, said, isFound: true }));
const missed = (said: string, ...all: string[]): SearchExample[] =>
  all.map((sought) => ({ sought, said, isFound: false }));

export const SEARCH_EXAMPLES: readonly SearchExample[] = [
  // hyphens and dashes
  ...found(
    'Year‑over‑year revenue rose in Q1–Q2 on 2026‑03‑31; the covid‑19 effect is over. A drop of −5 %.',
    ...['year-over-year', 'year‐over‐year', 'Q1-Q2', 'q1–q2', '2026-03-31', '"covid 19"'],
    ...['covid-19', '"-5 %"', '"year over year revenue"', '"Q1-Q2"', 'over-year'],
  ),
  ...found('Plain: year-over-year, Q1-Q2, covid 19', 'year—over—year', 'Q1−Q2', '"covid-19"'),
  ...found(
    'Umsatz\u00adsteuer, non\u2011breaking, כאן־שם',
    'umsatzsteuer',
    '"non breaking"',
    'כאן-שם',
  ),
  ...missed('covid19 yearover year', 'covid-19', '"year over"'),
  // apostrophes
  ...found(
    'The customer’s churn doesn’t grow. Le coût d’achat. O’Brien Ltd. L\u02bcéquipe, rock ‘n’ roll, 5′ high',
    ...[
      "customer's",
      'customer’s',
      'customerʼs',
      'customer´s',
      "doesn't",
      "d'achat",
      'achat',
      'd’achat',
    ],
    ...["O'Brien", 'O′Brien', '"o\'brien ltd"', "l'equipe", '"rock n roll"', "5'", "'customer's'"],
  ),
  ...missed('The customer saw customers and an obrien', "customer's", "o'brien"),
  // kana keep their voicing, however wide and in however many pieces they are written
  ...found('ペット用品', 'ペット', 'ﾍﾟｯﾄ', 'ヘ\u309aット', 'ヘ゜ット'),
  ...found('ﾊﾞﾊﾞ抜き', 'ババ', 'バ', 'は'.replace('は', 'ババ抜き')),
  ...found('がんばる', 'か\u3099んば', 'がん'),
  ...found('サーバー', 'ｻｰﾊﾞｰ', 'サーバ'),
  ...missed('ペット', 'ベッド', 'ヘット', 'ベット'),
  ...missed('ベッド', 'ペット', 'ヘット'),
  ...missed('ヘッドホン', 'ベッド', 'ペッド'),
  ...missed('パパ ババ', 'ハハ'),
  ...missed('ハハ', 'パパ', 'ババ', 'ばば'),
  ...missed('サーバー', 'サバ', 'サーハー'),
  // letters with strokes, ligatures, accents
  ...found('Łódź, Đorđe Gđe, København, Øresund', 'lodz', 'ŁÓDŹ', 'dorde', 'kobenhavn', 'oresund'),
  ...found(
    'œuvre Æsop straße ĳs ﬁnance ǿre',
    'oeuvre',
    'ŒUVRE',
    'aesop',
    'strasse',
    'STRASSE',
    'ijs',
    'finance',
    'ore',
  ),
  ...found('Plain: strasse aesop oeuvre lodz', 'straße', 'STRAẞE', 'Æsop', 'œuvre', 'Łódź'),
  ...found('ISTANBUL ısı İzmir', 'istanbul', 'ıstanbul', 'isi', 'izmir', 'İZMİR'),
  ...found('Þórr, Ð, ħ, ŧ, Ŋ', 'thorr', 'd', 'h', 't', 'n'),
  ...missed('osterreich', 'oesterreich'),
  // digits and letters of other scripts
  ...found('٢٠٢٦ ۲۰۲۶ २०२६ ２０２６ ๒๐๒๖', '2026', '"٢٠٢٦"', '２０２６'),
  ...found('In 2026', '٢٠٢٦', '۲۰۲۶', '२०२६', '๒๐๒๖'),
  ...found('گزارش یک مشتری', 'گزارش', 'يك', 'مشتري', 'یک'),
  ...found('كتاب عربي', 'کتاب', 'عربی'),
  ...found('١٬٢٣٤٫٥٠', '1,234.50'),
  // marks are edges of words, and no letters
  ...found(
    'Acme™ revenue¹ ①売上 Kosten② CO₂ Foo® m²',
    '"Acme"',
    '"revenue"',
    '"Acme revenue"',
    'Acme™',
    '売上',
    '"Kosten"',
    'CO2',
    '"foo"',
    '"m"',
  ),
  ...missed('Acme™ revenue¹', 'acmetm', '"revenue1"', 'revenue1'),
  ...found('㎏ ㈱青空 ½ №5', 'kg', '株', '1/2', 'no'),
  // punctuation at the ends of words
  ...found(
    'The net revenue grew (revenue), by 12%: "good"! What? {braces} «guillemets» ¿qué?',
    ...[
      '(revenue)',
      'revenue,',
      '"revenue, grew"',
      'grew?',
      '"net revenue!"',
      '12%',
      '%12',
      'good',
      "'good'",
    ],
    ...[
      '[revenue]',
      '...grew',
      'braces}',
      'guillemets',
      'qué?',
      '<revenue>',
      '„revenue“',
      'revenue;',
      '**revenue**',
    ],
  ),
  ...found('売上、費用。「合計」', '「売上」', '売上、', '(合計)', '"売上 費用"', '"売上、費用"'),
  // inside a word
  ...found(
    '1.234,50 and 1,234.50 at 12:30',
    '1.234,50',
    '1,234.50',
    '"1.234,50"',
    '12:30',
    '234',
    '(1.234,50)',
  ),
  ...missed('1.234 and 50', '1.234,50'),
  ...found(
    'R&D at AT&T, mail ada@example.com, see report.final.csv or TCP/IP',
    'R&D',
    'AT&T',
    'ada@example.com',
    '<ada@example.com>',
    'report.final.csv',
    'csv',
    'final',
    'tcp/ip',
    'example.com.',
  ),
  ...missed('R and D, r d', 'R&D'),
  ...found(
    'C++ and C# on .NET with Node.js, F#; Notepad++',
    'C++',
    'C#',
    '.NET',
    'node.js',
    '"C++"',
    '"C#"',
    '(C++)',
    'c',
    'notepad++',
  ),
  ...missed('C and c', 'C++', 'C#'),
  ...found(
    'net_revenue and __init__ and $price at 5 €, 🎉',
    'net_revenue',
    'revenue',
    '"net_revenue"',
    'init',
    '__init__',
    '$price',
    'price',
    '€',
    '5€',
    '🎉',
  ),
  ...missed('net_revenue net-revenues', '"net revenue"'),
  ...missed('net revenue', 'net_revenue'),
  // Markdown as it is read
  ...found(
    'The **net** revenue grew by _12_ %.',
    '"net revenue"',
    '"The net revenue grew by 12 %"',
  ),
  ...found(
    'See [net](https://example.com/a) revenue.',
    '"net revenue"',
    '"see net revenue"',
    'example.com/a',
    'https://example.com/a',
  ),
  ...found('See ![the chart](https://example.com/c.png "title") of May', '"the chart of May"'),
  ...found(
    'Research &amp; Development: R&amp;D costs&nbsp;rose, Acme&trade; too, it&#39;s &lt;ok&gt; &uuml;ber',
    'R&D',
    '"costs rose"',
    '"Acme"',
    "it's",
    'ok',
    '"Research & Development"',
    'über',
  ),
  ...missed('R&amp;D costs&nbsp;rose', 'amp', 'nbsp'),
  ...found(
    'The file is net\\_revenue.csv and snake\\_case.',
    'net_revenue',
    'net_revenue.csv',
    'snake_case',
  ),
  ...missed('The file is net\\_revenue.csv', '"net revenue"'),
  ...found(
    '| net | revenue |\n|---|---:|\n| north | 1.234,50 |',
    '"net revenue"',
    '"north 1.234,50"',
    '1.234,50',
  ),
  ...found('|a|b|\n|-|-|\n|net|revenue|', '"net revenue"'),
  ...found(
    'net<br>revenue and H<sub>2</sub>O, un**believ**able, 売**上**高',
    '"net revenue"',
    'H2O',
    '売上高',
  ),
  ...found('Our net\n  revenue\r\n> grew', '"net revenue grew"', '"revenue grew"'),
  ...found('- net\n- revenue\n\n# Big **news**', '"net revenue"', '"big news"'),
  ...found(
    'Call `net_revenue()` and ```x```; `a|b`',
    'net_revenue',
    'net_revenue()',
    '"call net_revenue"',
  ),
  ...found('~~old~~ price, ***new*** price', '"old price"', '"new price"'),
  // the beginning of a word, the whole of a phrase
  ...missed('invoices', '"invoice"', 'voice'),
  ...found('invoices', 'invoice', '"invoices"'),
];
