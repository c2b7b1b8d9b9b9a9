/** Definitions in a drift report. Pure. */

import type { LiveDefinition } from '../definitions/live.ts'
import { keyOf } from '../definitions/section.ts'
import type { DesiredDocument } from '../document/document.ts'

/**
 * Definitions that a report covers: those of the sections of the document, and all that an apply
 * created. Other resources are managed elsewhere. Without a document all are covered.
 */
export const coveredDefinitions = (
  definitions: readonly LiveDefinition[],
  document: DesiredDocument | null,
): LiveDefinition[] =>
  definitions.filter(
    ({ section, isManaged }) =>
      document === null || isManaged || document.sectionKeys.has(section.key),
  )

/** Covered definitions that the document lacks. */
export const unlistedDefinitions = (
  covered: readonly LiveDefinition[],
  document: DesiredDocument | null,
): LiveDefinition[] => {
  const desired = new Set(document?.definitions.map(keyOf))
  return covered.filter((one) => !desired.has(keyOf(one)))
}
