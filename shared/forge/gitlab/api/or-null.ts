import { hasForgeCode } from '../../errors.ts';

/** Returns null when the object does not exist, is not visible, or has moved (GitLab redirects an old path). */
export const orNull = async <T>(reading: Promise<T>): Promise<T | null> => {
  try {
    return await reading;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return null;
    throw error;
  }
};
