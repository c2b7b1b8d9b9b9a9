/** Creation of a schedule, and its settings. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { useMergedForm } from '../app/merged-form.ts'
import { useMergedWrite } from '../app/merged-write.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useUnsent } from '../app/unsent.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Button } from '../kit/button.tsx'
import { FormBar, Screen, Skeleton } from '../kit/screen.tsx'
import { browserZone } from '../kit/zoned-time.ts'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useTargetNames } from './names.ts'
import classes from './on-call.module.css'
import { OnCallViews } from './on-call-views.tsx'
import { type Schedule, scheduleQuery, schedulesKey } from './queries.ts'
import { bodyOf, draftOf, newSchedule, type ScheduleDraft } from './schedule-draft.ts'
import { ScheduleFields } from './schedule-fields.tsx'
import { errorsShown } from './schedule-form-props.ts'
import { useFieldTexts } from './use-field-texts.ts'

const route = getRouteApi('/on-call/schedules/$id/settings')

export const NewScheduleScreen = () => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={texts.newSchedule}>
      <OnCallViews />
      {can('ONCALL_CREATE') ? <NewScheduleForm /> : <NoPermission />}
    </Screen>
  )
}

const NewScheduleForm = () => {
  const { onCall: texts } = useTexts()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [unsent, store] = useUnsent<ScheduleDraft>('oncall-schedule')
  const draft = unsent ?? newSchedule(browserZone())
  const create = useMutation({
    mutationFn: async () =>
      (await api.POST('/api/v1/oncall/schedules', { body: bodyOf(draft) })).data,
    onSuccess: async ({ id }) => {
      store(null)
      void queryClient.invalidateQueries({ queryKey: schedulesKey })
      await navigate({ to: '/on-call/schedules/$id', params: { id } })
    },
  })
  return (
    <ScheduleForm
      save={create}
      submit={texts.create}
      onCancel={async () => {
        store(null)
        await navigate({ to: '/on-call' })
      }}
    >
      {(errors) => (
        <ScheduleFields
          draft={draft}
          errors={errors}
          onChange={(patch) => store({ ...draft, ...patch })}
        />
      )}
    </ScheduleForm>
  )
}

export const ScheduleSettingsScreen = () => {
  const { onCall: texts } = useTexts()
  const { can } = useSession()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(scheduleQuery(id))
  if (!can('ONCALL_UPDATE')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen title={data.name}>
      <OnCallViews />
      <ScheduleSettings key={id} schedule={data} />
    </Screen>
  )
}

const ScheduleSettings = ({ schedule }: { schedule: Schedule }) => {
  const { onCall: texts } = useTexts()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const { id } = schedule
  const form = useMergedForm(`oncall-schedule.${id}`, draftOf(schedule))
  const { nameOf } = useTargetNames()
  const { labels, textOf } = useFieldTexts(nameOf)
  const leave = () => navigate({ to: '/on-call/schedules/$id', params: { id } })
  const save = useMergedWrite({
    current: schedule,
    form,
    valuesOf: draftOf,
    readPresent: () => queryClient.fetchQuery({ ...scheduleQuery(id), staleTime: 0 }),
    write: ({ changes, headers }) => {
      const params = { path: { id }, header: headers }
      return api.PATCH('/api/v1/oncall/schedules/{id}', { params, body: bodyOf(changes) })
    },
    onSaved: async () => {
      await queryClient.invalidateQueries({ queryKey: schedulesKey })
      await leave()
    },
  })
  return (
    <ScheduleForm
      save={save}
      submit={texts.save}
      isBlocked={form.conflicts.length > 0 || Object.keys(form.changes).length === 0}
      onCancel={async () => {
        form.discard()
        await leave()
      }}
    >
      {(errors) => (
        <>
          <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
          <ScheduleFields draft={form.values} errors={errors} onChange={form.set} />
        </>
      )}
    </ScheduleForm>
  )
}

interface ScheduleFormProps {
  save: { mutate(): void; isPending: boolean; error: unknown }
  submit: string
  isBlocked?: boolean
  onCancel(): void
  children(errors: FieldErrors): ReactNode
}

const ScheduleForm = (props: ScheduleFormProps) => {
  const { save, submit, isBlocked = false, onCancel, children } = props
  const { onCall: texts, actions } = useTexts()
  const errors = useFieldErrors(save.error, { labels: { startsAt: texts.layerStart } })
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      {children(errors)}
      <FormBar>
        <ProblemNote error={save.error} fieldErrors={errors} fields={errorsShown(errors)} />
        <Button type="submit" emphasis="primary" isDisabled={isBlocked || save.isPending}>
          {save.isPending ? actions.saving : submit}
        </Button>
        <Button emphasis="quiet" onPress={onCancel}>
          {texts.cancel}
        </Button>
      </FormBar>
    </Form>
  )
}
