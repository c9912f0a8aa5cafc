import { createHash } from 'node:crypto';

export type Ids = { next(prefix: 'msg' | 'toolu' | 'req'): string };

export const createIds = (): Ids => {
  let count = 0;
  return {
    next: (prefix) => {
      count++;
      const digits = createHash('sha256')
        .update(`${prefix}${count}`)
        .digest('base64')
        .replaceAll(/[^a-zA-Z0-9]/g, '');
      return `${prefix}_01${digits.slice(0, 22)}`;
    },
  };
};
