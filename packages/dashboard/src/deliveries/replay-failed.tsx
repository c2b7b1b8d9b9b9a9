/** Replay of all failed deliveries of the chosen time, channel and subscriber. */
import { useState } from 'react'
import { startOfDay } from '../app/days.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './deliveries.module.css'
import type { DeliveryLogFilters } from './filters.ts'
import { useReplayFailed } from './replay.ts'

/** Period without a filter: the one whose failures the overview counts. */
const DEFAULT_PERIOD_MS = 86_400_000

export const ReplayFailed = ({ filters }: { filters: DeliveryLogFilters }) => {
  const { deliveries: texts } = useTexts()
  const [since, setSince] = useState<string | null>(null)
  const { from } = filters
  const open = () =>
    setSince(
      from === undefined
        ? new Date(Date.now() - DEFAULT_PERIOD_MS).toISOString()
        : startOfDay(from, 0),
    )
  return (
    <>
      <Button onPress={open}>{texts.replayFailed}</Button>
      {since !== null && (
        <ReplayDialog filters={filters} since={since} onClose={() => setSince(null)} />
      )}
    </>
  )
}

interface ReplayDialogProps {
  filters: DeliveryLogFilters
  since: string
  onClose(): void
}

const ReplayDialog = ({ filters: { channel, subscriber }, since, onClose }: ReplayDialogProps) => {
  const { deliveries: texts, dialogs } = useTexts()
  const { fill, plural, time } = useFormats()
  const replay = useReplayFailed()
  return (
    <Dialog title={texts.replayTitle} isOpen onClose={onClose} closeLabel={dialogs.cancel}>
      <p>{fill(texts.replayHint, { time: time(since) })}</p>
      {channel !== undefined && <p>{texts.replayChannel}</p>}
      {subscriber !== undefined && <p>{texts.replaySubscriber}</p>}
      {replay.isSuccess && <Note state="ok">{plural(texts.replayedCount, replay.data)}</Note>}
      <div className={classes.actions}>
        <Button
          emphasis="primary"
          onPress={() => replay.mutate({ since, channel, subscriber })}
          isDisabled={replay.isPending || replay.isSuccess}
        >
          {texts.replayFailed}
        </Button>
      </div>
      <ProblemNote error={replay.error} />
    </Dialog>
  )
}
