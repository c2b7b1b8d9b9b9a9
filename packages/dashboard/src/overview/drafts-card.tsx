/** Incident drafts that wait for a person or are published at their time. */
import type { Schemas } from '@status-page/client'
import { api } from '../api/client.ts'
import { Button } from '../kit/button.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ListCard } from './list.tsx'
import classes from './overview.module.css'
import { useOverviewAction } from './overview-action.ts'
import { impactStates } from './states.ts'

type DraftDecision = 'publish' | 'veto'

export const DraftsCard = ({ drafts }: Pick<Schemas['Overview'], 'drafts'>) => {
  const { overview: texts, ...names } = useTexts()
  const { fill, time } = useFormats()
  const decide = useOverviewAction(
    'drafts',
    ({ id, decision }: { id: string; decision: DraftDecision }) =>
      api.POST(`/api/v1/incident-drafts/{id}/${decision}`, { params: { path: { id } } }),
  )
  if (drafts === null) return null
  return (
    <ListCard
      title={texts.drafts}
      total={drafts.total}
      shown={drafts.items.length}
      error={decide.error}
    >
      {drafts.items.map(({ id, title, impact, publishAt }) => (
        <ListRow
          key={id}
          state={impactStates[impact]}
          title={title}
          facts={[
            names.impacts[impact],
            publishAt === null
              ? texts.notPublished
              : fill(texts.publishes, { time: time(publishAt) }),
          ]}
          actions={
            <DraftActions
              isPending={decide.isPending && decide.variables.id === id}
              onDecide={(decision) => decide.mutate({ id, decision })}
            />
          }
        />
      ))}
    </ListCard>
  )
}

interface DraftActionsProps {
  isPending: boolean
  onDecide(decision: DraftDecision): void
}

const DraftActions = ({ isPending, onDecide }: DraftActionsProps) => {
  const { overview: texts } = useTexts()
  const { can } = useSession()
  return (
    <div className={classes.actions}>
      {can('INCIDENTS_CREATE') && (
        <Button onPress={() => onDecide('publish')} isDisabled={isPending}>
          {texts.publish}
        </Button>
      )}
      {can('INCIDENTS_UPDATE') && (
        <Button emphasis="quiet" onPress={() => onDecide('veto')} isDisabled={isPending}>
          {texts.veto}
        </Button>
      )}
    </div>
  )
}
