/** Names of the settings of a component. */
import { useTexts } from '../texts/texts.tsx'
import type { DraftField } from './draft.ts'

export const useFieldLabels = (): Record<DraftField, string> => {
  const { editor } = useTexts().componentScreens
  return {
    ...editor,
    parentComponentId: editor.parent,
    showIconOnStatusPage: editor.showIcon,
    conditions: editor.sections.conditions,
    upstream: editor.sections.upstream,
  }
}
