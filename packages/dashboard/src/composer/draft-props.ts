/** Properties of the parts of the composer. */
import type { ComposedIncident } from './composed-incident.ts'
import type { ComposerDraft } from './draft.ts'

export interface DraftProps {
  draft: ComposerDraft
  incident: ComposedIncident
  onChange(changes: Partial<ComposerDraft>): void
}
