import { hasForgeCode } from '../../errors.ts';

/** Null for what does not exist, is not visible, or has moved: an old path is answered with a redirect. */
export const orNull = async <T>(reading: Promise<T>): Promise<T | null> => {
  try {
    return await reading;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
    throw error;
  }
};
