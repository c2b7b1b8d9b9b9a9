/** Key patterns of maps without a rule for their keys. */

/** Pattern that TypeBox writes for any key; its dot excludes line breaks. */
const TYPEBOX_ANY_KEY = '^(.*)$'

/**
 * Pattern of a map's keys that includes keys with a line break, so that such keys are validated
 * instead of dropped as unknown.
 */
export const keyPatternOf = (pattern: string): string =>
  pattern === TYPEBOX_ANY_KEY ? '^[\\s\\S]*$' : pattern
