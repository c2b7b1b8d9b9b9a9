/** Creation of a status page: its name and address; the designer follows. */
import { MAX_SLUG_LENGTH, slugFrom } from '@status-page/contracts/slug'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api, basePath } from '../api/client.ts'
import { NoPermission } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { UnsavedChangesDialog } from '../components/unsaved-changes-dialog.tsx'
import { Button } from '../kit/button.tsx'
import { TextField } from '../kit/field.tsx'
import { Screen } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'

export const NewPageScreen = () => {
  const { statusPages: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={texts.add} intro={texts.createHint}>
      {can('STATUS_PAGES_CREATE') ? <NewPageForm /> : <NoPermission />}
    </Screen>
  )
}

const NewPageForm = () => {
  const { statusPages: texts, firstRun, actions } = useTexts()
  const [name, setName] = useState('')
  const [chosenSlug, setSlug] = useState<string | null>(null)
  const slug = chosenSlug ?? slugFrom(name)
  const create = useCreatePage()
  const errors = useFieldErrors(create.error, { uniqueField: 'slug' })
  return (
    <Form
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        create.mutate({ name, slug })
      }}
    >
      <TextField
        label={texts.fields.name}
        hint={firstRun.page.nameHint}
        error={errors.name}
        value={name}
        onChange={setName}
        maxLength={100}
        isRequired
      />
      <TextField
        label={texts.fields.slug}
        hint={firstRun.page.slugHint}
        error={errors.slug}
        prefix={`${location.host}${basePath}/status/`}
        value={slug}
        onChange={setSlug}
        maxLength={MAX_SLUG_LENGTH}
        spellCheck="false"
        isRequired
      />
      <p>
        <Button type="submit" emphasis="primary" isDisabled={create.isPending}>
          {create.isPending ? actions.saving : texts.create}
        </Button>
      </p>
      <ProblemNote error={create.error} fieldErrors={errors} fields={['name', 'slug']} />
      <UnsavedChangesDialog isDirty={create.data === undefined && name !== ''} />
    </Form>
  )
}

const useCreatePage = () => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: async (body: { name: string; slug: string }) =>
      (await api.POST('/api/v1/status-pages', { body })).data,
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['status-pages'] })
      await navigate({ to: '/pages/$id', params: { id }, ignoreBlocker: true })
    },
  })
}
