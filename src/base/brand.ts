/** A string that only one room may mint, so that a job id never lands where a session id belongs. */
export type Brand<Text extends string, Name extends string> = Text & { readonly __brand: Name };
