/** Choice between a check that sends requests and one that waits for the pings of a job. */
import { Segmented } from '../kit/segmented.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { CheckSource } from './component-types.ts'
import type { ComponentDraft } from './draft.ts'

/** Value of a new heartbeat, which requires a period or a schedule. */
export const NEW_PERIOD_SECONDS = '3600'

const changesBySource: Record<CheckSource, (draft: ComponentDraft) => Partial<ComponentDraft>> = {
  request: () => ({ kind: null }),
  heartbeat: ({ periodSeconds }) => ({
    kind: 'heartbeat',
    periodSeconds: periodSeconds || NEW_PERIOD_SECONDS,
  }),
}
const sources = Object.keys(changesBySource) as CheckSource[]

interface CheckKindChoiceProps {
  draft: ComponentDraft
  onChange(draft: ComponentDraft): void
}

export const CheckKindChoice = ({ draft, onChange }: CheckKindChoiceProps) => {
  const { editor } = useTexts().componentScreens
  return (
    <div>
      <Segmented<CheckSource>
        label={editor.kind}
        options={sources.map((value) => ({ value, label: editor.kinds[value] }))}
        value={draft.kind ?? 'request'}
        onChange={(source) => onChange({ ...draft, ...changesBySource[source](draft) })}
      />
    </div>
  )
}
