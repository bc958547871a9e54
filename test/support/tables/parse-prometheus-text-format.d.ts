/** The package brings no types of its own. */
declare module 'parse-prometheus-text-format' {
  export interface MetricFamily {
    readonly name: string;
    readonly type: string;
    readonly help: string;
    readonly metrics: readonly { readonly value: string; readonly labels: object }[];
  }
  function parse(text: string): readonly MetricFamily[] | undefined;
  export { parse as default };
}
