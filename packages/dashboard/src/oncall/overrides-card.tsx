/** Overrides of a schedule that have not ended. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { DeleteOverrideDialog } from './delete-dialogs.tsx'
import type { Override } from './lanes.ts'
import { useMemberNames } from './names.ts'
import classes from './on-call.module.css'
import type { OverrideDraft } from './override-dialog.tsx'
import type { Schedule } from './queries.ts'
import { PeriodTimes } from './zoned-formats.tsx'

const newOverride: OverrideDraft = { id: null, userId: null, startsAt: null, endsAt: null }

interface OverridesCardProps {
  schedule: Schedule
  /** Null if the role does not permit it. */
  onEdit: ((draft: OverrideDraft) => void) | null
}

export const OverridesCard = ({ schedule, onEdit }: OverridesCardProps) => {
  const { onCall: texts } = useTexts()
  const { number } = useFormats()
  const [deleted, setDeleted] = useState<Override | null>(null)
  const overrides = [...schedule.overrides].sort((left, right) =>
    left.startsAt.localeCompare(right.startsAt),
  )
  return (
    <Card
      title={texts.overrides}
      count={number(overrides.length)}
      aside={
        onEdit !== null && <Button onPress={() => onEdit(newOverride)}>{texts.addOverride}</Button>
      }
    >
      {overrides.length === 0 && <p className={classes.calm}>{texts.noOverrides}</p>}
      <ul>
        {overrides.map((override) => (
          <OverrideRow
            key={override.id}
            override={override}
            timezone={schedule.timezone}
            onEdit={onEdit}
            onDelete={() => setDeleted(override)}
          />
        ))}
      </ul>
      {deleted !== null && (
        <DeleteOverrideDialog
          schedule={schedule}
          override={deleted}
          onClose={() => setDeleted(null)}
        />
      )}
    </Card>
  )
}

interface OverrideRowProps {
  override: Override
  timezone: string
  onEdit: OverridesCardProps['onEdit']
  onDelete(): void
}

const OverrideRow = ({ override, timezone, onEdit, onDelete }: OverrideRowProps) => {
  const { onCall: texts } = useTexts()
  const { fill } = useFormats()
  const { nameOf } = useMemberNames()
  const name = nameOf(override.userId)
  return (
    <li className={classes.row}>
      <div className={classes.rowText}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <PeriodTimes since={override.startsAt} until={override.endsAt} zone={timezone} />
      </div>
      {onEdit !== null && (
        <div className={classes.actions}>
          <Button
            aria-label={fill(texts.editOverrideOf, { name })}
            onPress={() => onEdit(override)}
          >
            {texts.edit}
          </Button>
          <Button
            emphasis="quiet"
            aria-label={fill(texts.deleteOverrideOf, { name })}
            onPress={onDelete}
          >
            {texts.delete}
          </Button>
        </div>
      )}
    </li>
  )
}
