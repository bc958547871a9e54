/** The faults of test/fault/README.md, in its order. */
export function faults(): readonly { readonly tag: string; readonly what: string }[];
/** Each tag with the tests that carry it, as `file:line title`. */
export function testsOfFaults(): ReadonlyMap<string, readonly string[]>;
