/** Which names are looked for in the lines around their use. */

/**
 * An expression that contains a name takes long to compile if the name is long, and the engine refuses it if the name is
 * longer still. People do not write such names.
 */
const MAX_NAME_CHARACTERS = 200;

/** Contract: asked before a name of a repository becomes part of an expression. A name that is not followed is unknown. */
export const isFollowed = (name: string): boolean => name.length <= MAX_NAME_CHARACTERS;
