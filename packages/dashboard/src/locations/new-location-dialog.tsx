/** Creation of a private location, whose enrolment token is displayed once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { locationsQuery } from '../api/queries.ts'
import { FormDialog } from '../app/form-dialog.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { TextField } from '../kit/field.tsx'
import { useTexts } from '../texts/texts.tsx'
import { EnrolmentDialog } from './enrolment-dialog.tsx'

const MAX_NAME_LENGTH = 32
const MAX_DESCRIPTION_LENGTH = 200
const fields = ['name', 'description'] as const

export const NewLocationDialog = ({ onClose }: { onClose(): void }) => {
  const { locations: texts } = useTexts()
  const queryClient = useQueryClient()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const body = { name: name.trim(), description: description.trim() || null }
      return (await api.POST('/api/v1/locations', { body })).data
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: locationsQuery.queryKey }),
    // The token does not remain in memory once its dialog is closed.
    gcTime: 0,
  })
  const errors = useFieldErrors(create.error, { uniqueField: 'name' })
  if (create.data !== undefined) {
    return <EnrolmentDialog enrolment={create.data} onClose={onClose} />
  }
  return (
    <FormDialog
      title={texts.create}
      submit={texts.submit}
      isIncomplete={name.trim() === ''}
      action={create}
      fieldErrors={errors}
      fields={fields}
      onClose={onClose}
    >
      <TextField
        label={texts.name}
        hint={texts.nameHint}
        error={errors.name}
        value={name}
        onChange={setName}
        maxLength={MAX_NAME_LENGTH}
        spellCheck="false"
        isRequired
      />
      <TextField
        label={texts.description}
        error={errors.description}
        value={description}
        onChange={setDescription}
        maxLength={MAX_DESCRIPTION_LENGTH}
      />
    </FormDialog>
  )
}
