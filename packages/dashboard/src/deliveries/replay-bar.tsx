/** Selected deliveries and their replay. */
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { SelectionBar, SelectionRegion } from '../kit/selection-bar.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { DeliveryData } from './filters.ts'
import { useReplay } from './replay.ts'

interface ReplayBarProps {
  selected: readonly DeliveryData[]
  onClear(): void
}

export const ReplayBar = ({ selected, onClear }: ReplayBarProps) => {
  const { deliveries: texts } = useTexts()
  const { plural } = useFormats()
  const replay = useReplay()
  const count = plural(texts.selected, selected.length)
  const send = () =>
    replay.mutate(
      selected.map(({ id }) => id),
      { onSuccess: onClear },
    )
  return (
    <SelectionRegion>
      {selected.length > 0 && (
        <SelectionBar label={count} count={count} clear={texts.clear} onClear={onClear}>
          <Button emphasis="primary" onPress={send} isDisabled={replay.isPending}>
            {plural(texts.replaySelected, selected.length)}
          </Button>
        </SelectionBar>
      )}
      {replay.isSuccess && <Note state="ok">{plural(texts.replayedCount, replay.data)}</Note>}
      <ProblemNote error={replay.error} />
    </SelectionRegion>
  )
}
