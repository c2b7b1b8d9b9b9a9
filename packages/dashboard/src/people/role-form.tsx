/** Name, description and permissions of a role. */
import type { Right } from '@status-page/contracts'
import { useMutation } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import type { FieldErrors } from '../api/field-errors.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Actions, CardBody, Fields, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { RoleMatrix } from './role-matrix.tsx'

export interface RoleValues {
  name: string
  description: string
  permissions: Right[]
}

export const emptyRole: RoleValues = { name: '', description: '', permissions: [] }
const shownFields = ['name', 'description', 'permissions'] as const

interface RoleFormProps {
  /** Name of the stored values. */
  name: string
  role: RoleValues
  isReadOnly: boolean
  isBuiltIn?: boolean
  write(fields: RoleValues): Promise<unknown>
  onSaved(): void
}

export const RoleForm = (props: RoleFormProps) => {
  const { name, role, isReadOnly, isBuiltIn = false, write, onSaved } = props
  const { roles: texts } = useTexts().access
  const { facts } = useFormats()
  const form = useMergedForm(name, role)
  const { values, set } = form
  const save = useMutation({
    mutationFn: () => write(values),
    onMutate: () => values,
    onSuccess: (_reply, _input, written) => {
      form.saved(written)
      onSaved()
    },
  })
  const errors = useFieldErrors(save.error, { uniqueField: 'name' })
  const labels = { name: texts.name, description: texts.description, permissions: texts.matrix }
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <FieldConflicts
          form={form}
          labelOf={(field) => labels[field]}
          textOf={(_field, value) => (Array.isArray(value) ? facts(value) : value)}
        />
        <Card title={texts.matrix}>
          <CardBody>
            {!isReadOnly && <NameFields form={form} errors={errors} />}
            <Hint>{isBuiltIn ? texts.builtInHint : texts.matrixHint}</Hint>
            {errors.permissions !== undefined && <Note state="down">{errors.permissions}</Note>}
            <RoleMatrix
              permissions={values.permissions}
              isReadOnly={isReadOnly}
              onChange={(permissions) => set({ permissions })}
            />
            {!isReadOnly && <SaveActions form={form} isPending={save.isPending} />}
            <ProblemNote error={save.error} fieldErrors={errors} fields={shownFields} />
            {save.isSuccess && !form.isDirty && <Note state="ok">{texts.saved}</Note>}
          </CardBody>
        </Card>
      </Fields>
    </Form>
  )
}

interface NameFieldsProps {
  form: MergedForm<RoleValues>
  errors: FieldErrors
}

const NameFields = ({ form: { values, set }, errors }: NameFieldsProps) => {
  const { roles: texts } = useTexts().access
  return (
    <InlineFields>
      <TextField
        label={texts.name}
        error={errors.name}
        value={values.name}
        onChange={(name) => set({ name })}
        maxLength={50}
        isRequired
      />
      <TextField
        label={texts.description}
        error={errors.description}
        value={values.description}
        onChange={(description) => set({ description })}
        maxLength={500}
      />
    </InlineFields>
  )
}

interface SaveActionsProps {
  form: MergedForm<RoleValues>
  isPending: boolean
}

const SaveActions = ({ form, isPending }: SaveActionsProps) => {
  const { roles: texts } = useTexts().access
  const { name, permissions } = form.values
  const isIncomplete = name.trim() === '' || permissions.length === 0
  const hasConflict = form.conflicts.length > 0
  return (
    <Actions>
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={!form.isDirty || isIncomplete || hasConflict || isPending}
      >
        {texts.save}
      </Button>
      {form.isDirty && (
        <Button emphasis="quiet" onPress={form.discard}>
          {texts.discard}
        </Button>
      )}
    </Actions>
  )
}
