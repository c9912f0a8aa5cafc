/** For example `1 problem` and `2 problems`. */
export const counted = (number: number, what: string, several = `${what}s`): string =>
  `${number} ${number === 1 ? what : several}`;
