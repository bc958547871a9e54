/** Which parameters of a host's URLs were seen to change while the bytes stayed the same. */

export interface ParameterMemory {
  /** Whether each of them has changed often enough without the bytes. */
  areVolatile(parameters: readonly string[]): boolean;
  /** @param files how many were fetched and found to be the archived ones */
  sawSameBytes(parameters: readonly string[], files: number): void;
  sawOtherBytes(parameters: readonly string[]): void;
}

/** Remembers nothing: bytes decide each time. */
export const noMemory: ParameterMemory = {
  areVolatile: () => false,
  sawSameBytes: () => undefined,
  sawOtherBytes: () => undefined,
};
