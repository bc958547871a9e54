/** A string with a type of its own: a job id cannot be used as a session id. */
export type Brand<Text extends string, Name extends string> = Text & { readonly __brand: Name };
