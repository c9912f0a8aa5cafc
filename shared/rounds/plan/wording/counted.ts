/** Returns a number with its noun, for example `1 problem` or `2 problems`. */
export const counted = (number: number, what: string, several = `${what}s`): string =>
  `${number} ${number === 1 ? what : several}`;
