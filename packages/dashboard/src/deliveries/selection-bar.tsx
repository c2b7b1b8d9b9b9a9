/** Selected deliveries and their replay. */
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './deliveries.module.css'
import type { DeliveryData } from './filters.ts'
import { useReplay } from './replay.ts'

interface SelectionBarProps {
  selected: readonly DeliveryData[]
  onClear(): void
}

export const SelectionBar = ({ selected, onClear }: SelectionBarProps) => {
  const { deliveries: texts } = useTexts()
  const { plural } = useFormats()
  const replay = useReplay()
  const send = () =>
    replay.mutate(
      selected.map(({ id }) => id),
      { onSuccess: onClear },
    )
  return (
    <div className={classes.live} aria-live="polite">
      {selected.length > 0 && (
        <section className={classes.selection} aria-label={plural(texts.selected, selected.length)}>
          <p className={classes.count}>{plural(texts.selected, selected.length)}</p>
          <Button emphasis="primary" onPress={send} isDisabled={replay.isPending}>
            {plural(texts.replaySelected, selected.length)}
          </Button>
          <Button emphasis="quiet" onPress={onClear}>
            {texts.clear}
          </Button>
        </section>
      )}
      {replay.isSuccess && <Note state="ok">{plural(texts.replayedCount, replay.data)}</Note>}
      <ProblemNote error={replay.error} />
    </div>
  )
}
