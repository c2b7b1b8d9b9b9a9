/** Keys of a map that has no rule for them. */

/** The pattern that TypeBox writes for any key; its dot stands for no line break. */
const TYPEBOX_ANY_KEY = '^(.*)$'

/**
 * The pattern of a map's keys. A key with a line break is described as every other one, so that it is
 * judged with the map instead of being dropped as unknown.
 */
export const keyPatternOf = (pattern: string): string =>
  pattern === TYPEBOX_ANY_KEY ? '^[\\s\\S]*$' : pattern
