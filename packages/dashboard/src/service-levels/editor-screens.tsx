/** Creation and change of a service level. */
import { ApiError } from '@status-page/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useUnsent } from '../app/unsent.ts'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { FormBar, Screen, Skeleton } from '../kit/screen.tsx'
import { useDefaultTimeZone } from '../maintenances/zone-field.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { newValues, type ServiceLevelValues, shownErrors, valuesOf } from './draft.ts'
import { EditorFields } from './editor-fields.tsx'
import { type ServiceLevel, serviceLevelQuery } from './queries.ts'
import classes from './service-levels.module.css'
import { useFieldTexts } from './use-field-texts.ts'

const NOT_FOUND = 404

export const NewServiceLevelScreen = () => {
  const { serviceLevel: texts } = useTexts()
  const { can } = useSession()
  const timeZone = useDefaultTimeZone()
  const isAllowed = can('SLA_CREATE')
  return (
    <Screen title={texts.new}>
      {!isAllowed && <NoPermission />}
      {isAllowed && timeZone === null && <Skeleton rows={8} />}
      {isAllowed && timeZone !== null && <NewServiceLevelForm timeZone={timeZone} />}
    </Screen>
  )
}

const NewServiceLevelForm = ({ timeZone }: { timeZone: string }) => {
  const { serviceLevel: texts } = useTexts()
  const [stored, store] = useUnsent<ServiceLevelValues>('service-level.new')
  const [defaults] = useState(() => newValues(timeZone))
  const values = { ...defaults, ...stored }
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const create = useMutation({
    mutationFn: async (body: ServiceLevelValues) => (await api.POST('/api/v1/sla', { body })).data,
    onSuccess: async ({ id }) => {
      store(null)
      void queryClient.invalidateQueries({ queryKey: ['slas', 'list'] })
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      await navigate({ to: '/service-levels/$id', params: { id } })
    },
  })
  const errors = useFieldErrors(create.error)
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (!create.isPending) create.mutate(values)
      }}
    >
      <EditorFields
        values={values}
        errors={errors}
        set={(patch) => store({ ...values, ...patch })}
      />
      <SaveBar error={create.error} isPending={create.isPending} label={texts.form.create}>
        {stored !== null && (
          <Button
            emphasis="quiet"
            onPress={() => {
              store(null)
              create.reset()
            }}
          >
            {texts.form.discard}
          </Button>
        )}
      </SaveBar>
    </Form>
  )
}

const route = getRouteApi('/service-levels/$id/edit')

export const EditServiceLevelScreen = () => {
  const { serviceLevel: texts } = useTexts()
  const { can } = useSession()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(serviceLevelQuery(id))
  const isGone = error instanceof ApiError && error.status === NOT_FOUND
  if (!can('SLA_UPDATE')) {
    return (
      <Screen title={texts.edit}>
        <NoPermission />
      </Screen>
    )
  }
  if (data === undefined || isGone) {
    return (
      <Screen title={texts.edit}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <EditServiceLevelForm key={id} serviceLevel={data} />
}

const EditServiceLevelForm = ({ serviceLevel }: { serviceLevel: ServiceLevel }) => {
  const { serviceLevel: texts } = useTexts()
  const { fill } = useFormats()
  const { id, name } = serviceLevel
  const navigate = useNavigate()
  const leave = () => void navigate({ to: '/service-levels/$id', params: { id } })
  const form = useMergedForm<ServiceLevelValues>(`service-level.${id}`, valuesOf(serviceLevel))
  const save = useSave(id, form, leave)
  const errors = useFieldErrors(save.error)
  const { labels, textOf } = useFieldTexts()
  const hasConflict = form.conflicts.length > 0
  const back = (
    <Link to="/service-levels/$id" params={{ id }} className={buttonClass('quiet')}>
      {texts.back}
    </Link>
  )
  return (
    <Screen title={fill(texts.editOf, { name })} aside={back}>
      <Form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!save.isPending && !hasConflict) save.mutate()
        }}
      >
        <FieldConflicts form={form} labelOf={(field) => labels[field]} textOf={textOf} />
        <EditorFields values={form.values} errors={errors} set={form.set} />
        <SaveBar
          error={save.error instanceof EditConflict ? null : save.error}
          isPending={save.isPending}
          isDisabled={hasConflict || Object.keys(form.changes).length === 0}
          label={texts.form.save}
        >
          <Button
            emphasis="quiet"
            onPress={() => {
              form.discard()
              leave()
            }}
          >
            {texts.form.cancel}
          </Button>
        </SaveBar>
      </Form>
    </Screen>
  )
}

/** Others have changed the same fields, of which the form shows both values. */
class EditConflict extends Error {}

/** Service levels have no version: the present values are read and merged before the write. */
const useSave = (id: string, form: MergedForm<ServiceLevelValues>, onSaved: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const present = await queryClient.fetchQuery({ ...serviceLevelQuery(id), staleTime: 0 })
      const { conflicts, changes } = form.against(valuesOf(present))
      if (conflicts.length > 0) throw new EditConflict()
      await api.PATCH('/api/v1/sla/{id}', { params: { path: { id } }, body: changes })
    },
    onMutate: () => form.values,
    onSuccess: async (_reply, _input, written) => {
      form.saved(written)
      onSaved()
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      await queryClient.invalidateQueries({ queryKey: ['slas'] })
    },
  })
}

interface SaveBarProps {
  error: unknown
  isPending: boolean
  isDisabled?: boolean
  label: string
  children: ReactNode
}

const SaveBar = ({ error, isPending, isDisabled = false, label, children }: SaveBarProps) => {
  const { actions } = useTexts()
  const errors = useFieldErrors(error)
  return (
    <FormBar>
      <ProblemNote error={error} fieldErrors={errors} fields={shownErrors(errors)} />
      <Button type="submit" emphasis="primary" isDisabled={isPending || isDisabled}>
        {isPending ? actions.saving : label}
      </Button>
      {children}
    </FormBar>
  )
}
