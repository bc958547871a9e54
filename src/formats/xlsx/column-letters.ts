/** The letters of a spreadsheet's column: A, B, …, Z, AA, … @param number from 1 */
export function columnLetters(number: number): string {
  const letter = String.fromCharCode(65 + ((number - 1) % 26));
  return number <= 26 ? letter : columnLetters(Math.floor((number - 1) / 26)) + letter;
}
