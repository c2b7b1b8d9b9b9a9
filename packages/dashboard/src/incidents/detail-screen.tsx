/** Incident: its updates, its facts, and the actions that the role permits. */
import { ApiError } from '@status-page/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { ComponentsCard, FactsCard, PostmortemCard } from './facts-cards.tsx'
import classes from './incidents.module.css'
import { type IncidentDetail, incidentQuery } from './queries.ts'
import { TimelineCard } from './timeline-card.tsx'
import { focusMessage, UpdateCard } from './update-card.tsx'
import { type UpdateForm, useUpdateForm } from './update-form.ts'

const route = getRouteApi('/incidents/$id')
const NOT_FOUND = 404

export const IncidentScreen = () => {
  const { incident: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(incidentQuery(id))
  const isDeleted = error instanceof ApiError && error.status === NOT_FOUND
  if (data === undefined || isDeleted) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <IncidentView key={id} incident={data} />
}

const IncidentView = ({ incident }: { incident: IncidentDetail }) => {
  const { can } = useSession()
  const form = useUpdateForm(incident)
  const canUpdate = can('INCIDENTS_UPDATE')
  return (
    <Screen
      title={incident.title}
      aside={canUpdate && <IncidentActions incident={incident} form={form} />}
    >
      <div className={classes.columns}>
        <div className={classes.column}>
          {canUpdate && <UpdateCard incident={incident} form={form} />}
          <TimelineCard incident={incident} />
        </div>
        <div className={classes.column}>
          <FactsCard incident={incident} />
          <ComponentsCard incident={incident} />
          <PostmortemCard incident={incident} />
        </div>
      </div>
    </Screen>
  )
}

const IncidentActions = ({ incident, form }: { incident: IncidentDetail; form: UpdateForm }) => {
  const { incident: texts } = useTexts()
  const [isEdited, setEdited] = useState(false)
  const isResolved = incident.status === 'resolved'
  const choose = () => {
    form.set({ status: isResolved ? 'investigating' : 'resolved' })
    focusMessage()
  }
  return (
    <div className={classes.actions}>
      <Button onPress={() => setEdited(true)}>{texts.edit}</Button>
      <Button emphasis={isResolved ? 'secondary' : 'primary'} onPress={choose}>
        {isResolved ? texts.reopen : texts.resolve}
      </Button>
      {isEdited && <EditDialog incident={incident} onClose={() => setEdited(false)} />}
    </div>
  )
}
