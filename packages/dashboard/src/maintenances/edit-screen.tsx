/** Changes of a maintenance, merged with those of others. */
import { ApiError } from '@status-page/client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { useMergedForm } from '../app/merged-form.ts'
import { useMergedWrite } from '../app/merged-write.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { FormBar, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type MaintenanceValues, shownErrors, valuesOf } from './draft.ts'
import { EditorFields } from './editor-fields.tsx'
import classes from './maintenances.module.css'
import { type MaintenanceData, maintenanceQuery } from './queries.ts'
import { useFieldTexts } from './use-field-texts.ts'
import { useDefaultTimeZone } from './zone-field.tsx'

const route = getRouteApi('/maintenances/$id/edit')
const NOT_FOUND = 404

export const EditMaintenanceScreen = () => {
  const { maintenance: texts } = useTexts()
  const { can } = useSession()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(maintenanceQuery(id))
  const timeZone = useDefaultTimeZone()
  const isGone = error instanceof ApiError && error.status === NOT_FOUND
  if (!can('MAINTENANCES_UPDATE')) {
    return (
      <Screen title={texts.edit}>
        <NoPermission />
      </Screen>
    )
  }
  if (data === undefined || isGone || timeZone === null) {
    return (
      <Screen title={texts.edit}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <EditMaintenanceForm key={id} maintenance={data} defaultTimeZone={timeZone} />
}

interface EditMaintenanceFormProps {
  maintenance: MaintenanceData
  defaultTimeZone: string
}

const EditMaintenanceForm = ({ maintenance, defaultTimeZone }: EditMaintenanceFormProps) => {
  const { maintenance: texts } = useTexts()
  const { fill } = useFormats()
  const { form, save, leave } = useEdit(maintenance)
  const { values, set } = form
  const [chosenZone, setZone] = useState<string | null>(null)
  const timeZone = values.recurrence?.timezone ?? chosenZone ?? defaultTimeZone
  const { labels, textOf } = useFieldTexts(maintenance, timeZone)
  const errors = useFieldErrors(save.error, { labels })
  const back = (
    <Link to="/maintenances/$id" params={{ id: maintenance.id }} className={buttonClass('quiet')}>
      {texts.back}
    </Link>
  )
  return (
    <Screen title={fill(texts.editOf, { title: maintenance.title })} aside={back}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!save.isPending && form.conflicts.length === 0) save.mutate()
        }}
      >
        <EditorFields
          maintenance={maintenance}
          values={values}
          errors={errors}
          timeZone={timeZone}
          set={set}
          setTimeZone={(zone) => {
            setZone(zone)
            if (values.recurrence !== null)
              set({ recurrence: { ...values.recurrence, timezone: zone } })
          }}
        />
        <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
        <SaveBar form={form} save={save} errors={errors} onLeave={leave} />
      </Form>
    </Screen>
  )
}

const useEdit = (maintenance: MaintenanceData) => {
  const { id } = maintenance
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const leave = () => void navigate({ to: '/maintenances/$id', params: { id } })
  const form = useMergedForm<MaintenanceValues>(`maintenance.${id}`, valuesOf(maintenance))
  const save = useMergedWrite<MaintenanceData, MaintenanceValues>({
    current: maintenance,
    readPresent: () => queryClient.fetchQuery({ ...maintenanceQuery(id), staleTime: 0 }),
    form,
    valuesOf,
    onSaved: () => {
      leave()
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      return queryClient.invalidateQueries({ queryKey: ['maintenances'] })
    },
    write: ({ changes, headers }) => {
      const params = { path: { id }, header: headers }
      return api.PATCH('/api/v1/maintenances/{id}', { params, body: changes })
    },
  })
  return { form, save, leave }
}

interface SaveBarProps extends Pick<ReturnType<typeof useEdit>, 'form' | 'save'> {
  errors: FieldErrors
  onLeave(): void
}

const SaveBar = ({ form, save, errors, onLeave }: SaveBarProps) => {
  const { maintenance: texts, actions } = useTexts()
  const hasConflict = form.conflicts.length > 0
  const isUnchanged = Object.keys(form.changes).length === 0
  return (
    <FormBar>
      <ProblemNote error={save.error} fieldErrors={errors} fields={shownErrors(errors)} />
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={hasConflict || isUnchanged || save.isPending}
      >
        {save.isPending ? actions.saving : texts.form.save}
      </Button>
      <Button
        emphasis="quiet"
        onPress={() => {
          form.discard()
          onLeave()
        }}
      >
        {texts.form.cancel}
      </Button>
      {form.isDirty && <span className={classes.quiet}>{texts.form.stored}</span>}
    </FormBar>
  )
}
