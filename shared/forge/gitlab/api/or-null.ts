import { type ForgeErrorCode, hasForgeCode } from '../../errors.ts';

const nullAfter = async <T>(reading: Promise<T>, ...codes: readonly ForgeErrorCode[]): Promise<T | null> => {
  try {
    return await reading;
  } catch (error) {
    if (hasForgeCode(error, ...codes)) return null;
    throw error;
  }
};

/**
 * Returns null when the object does not exist or is not visible. For a look-up by id: GitLab never redirects one, so a
 * redirect comes from a proxy, for example to a login page, and says nothing about the object.
 */
export const orNull = <T>(reading: Promise<T>): Promise<T | null> => nullAfter(reading, 'FORGE_NOT_FOUND');

/** For a look-up by path: GitLab redirects the old path of an object that has moved. */
export const orNullAtPath = <T>(reading: Promise<T>): Promise<T | null> =>
  nullAfter(reading, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED');
