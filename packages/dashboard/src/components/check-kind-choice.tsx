/** Choice between a check that sends requests and one that waits for the pings of a job. */
import type { PushKind } from '@status-page/contracts'
import { Segmented } from '../kit/segmented.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { ComponentDraft } from './draft.ts'

type Choice = PushKind | 'request'

/** Value of a new heartbeat, which requires a period or a schedule. */
export const NEW_PERIOD_SECONDS = '3600'

interface CheckKindChoiceProps {
  draft: ComponentDraft
  onChange(draft: ComponentDraft): void
}

export const CheckKindChoice = ({ draft, onChange }: CheckKindChoiceProps) => {
  const { editor } = useTexts().componentScreens
  const choose = (choice: Choice) =>
    onChange(
      choice === 'heartbeat'
        ? { ...draft, kind: choice, periodSeconds: draft.periodSeconds || NEW_PERIOD_SECONDS }
        : { ...draft, kind: null },
    )
  return (
    <div>
      <Segmented<Choice>
        label={editor.kind}
        options={(['request', 'heartbeat'] as const).map((value) => ({
          value,
          label: editor.kinds[value],
        }))}
        value={draft.kind ?? 'request'}
        onChange={choose}
      />
    </div>
  )
}
