/** Form that sets a variable. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'

const MAX_NAME_LENGTH = 64
const MAX_VALUE_LENGTH = 4_096
const fields = ['value'] as const
/** The name is a part of the path, so that the service replies 404 to another one. */
const validName = /^[A-Z][A-Z0-9_]*$/
const reference = `\${NAME}`

interface VariableFormProps {
  /** Name of an existing variable; absent for a new one. */
  name?: string
  onSaved?(): void
}

export const VariableForm = ({ name: existingName, onSaved }: VariableFormProps) => {
  const { configuration } = useTexts()
  const { variables: texts } = configuration
  const [name, setName] = useState(existingName ?? '')
  const [value, setValue] = useState('')
  const [isNameRefused, setIsNameRefused] = useState(false)
  const save = useSetVariable(() => {
    setName(existingName ?? '')
    setValue('')
    onSaved?.()
  })
  const errors = useFieldErrors(save.error)
  return (
    <Form
      className={classes.content}
      onSubmit={(event) => {
        event.preventDefault()
        const isValid = validName.test(name.trim())
        setIsNameRefused(!isValid)
        if (isValid) save.mutate({ name: name.trim(), value })
      }}
    >
      {existingName === undefined && (
        <NameField value={name} isRefused={isNameRefused} onChange={setName} />
      )}
      <TextAreaField
        label={texts.value}
        hint={texts.valueHint}
        error={errors.value}
        value={value}
        onChange={setValue}
        maxLength={MAX_VALUE_LENGTH}
        rows={3}
        autoComplete="off"
        spellCheck="false"
        isRequired
      />
      <p>
        <Button
          type="submit"
          emphasis="primary"
          isDisabled={save.isPending || name.trim() === '' || value === ''}
        >
          {texts.set}
        </Button>
      </p>
      <ProblemNote error={save.error} fieldErrors={errors} fields={fields} />
    </Form>
  )
}

interface NameFieldProps {
  value: string
  isRefused: boolean
  onChange(name: string): void
}

const NameField = ({ value, isRefused, onChange }: NameFieldProps) => {
  const { variables: texts } = useTexts().configuration
  const { fill } = useFormats()
  const hint = fill(texts.nameHint, { reference })
  return (
    <TextField
      label={texts.name}
      hint={isRefused ? undefined : hint}
      error={isRefused ? hint : undefined}
      value={value}
      onChange={(next) => onChange(next.toUpperCase())}
      maxLength={MAX_NAME_LENGTH}
      autoComplete="off"
      spellCheck="false"
      isRequired
    />
  )
}

const useSetVariable = (onSuccess: () => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ name, value }: { name: string; value: string }) => {
      const params = { path: { name } }
      return (await api.PUT('/api/v1/config/variables/{name}', { params, body: { value } })).data
    },
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: ['configuration'] })
      onSuccess()
    },
  })
}
