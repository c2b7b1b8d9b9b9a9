/** Name, security policies and limits of the organization. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { entryErrorOf, type FieldErrors, rootFieldOf } from '../api/field-errors.ts'
import { meQuery } from '../api/queries.ts'
import { type MergedForm, useMergedForm } from '../app/merged-form.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { FieldConflicts } from '../incidents/field-conflicts.tsx'
import { Actions, CardBody, Fields, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type OrganizationData, organizationQuery } from './queries.ts'
import { domainsOf, limitNames, type OrganizationValues, patchOf, valuesOf } from './settings.ts'

interface SectionProps {
  form: MergedForm<OrganizationValues>
  errors: FieldErrors
  isReadOnly: boolean
}

export const SettingsForm = ({ organization }: { organization: OrganizationData }) => {
  const { settings: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const form = useMergedForm(`organization.${organization.id}`, valuesOf(organization))
  const save = useSaveSettings(form)
  const errors = useSettingsErrors(save.error)
  const labels: Record<keyof OrganizationValues, string> = texts
  const isReadOnly = !can('ORGANIZATION_UPDATE')
  const section = { form, errors, isReadOnly }
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
          textOf={(_field, value) =>
            typeof value === 'string' ? value : value ? texts.yes : texts.no
          }
        />
        <GeneralSection {...section} slug={organization.slug} />
        <SecuritySection {...section} />
        <LimitsSection {...section} />
        {!isReadOnly && <SaveActions form={form} isPending={save.isPending} />}
        <ProblemNote
          error={save.error}
          fieldErrors={errors}
          fields={shownFieldsOf(form.values, errors)}
        />
        {save.isSuccess && !form.isDirty && <Note state="ok">{texts.saved}</Note>}
      </Fields>
    </Form>
  )
}

const useSaveSettings = (form: MergedForm<OrganizationValues>) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => api.PATCH('/api/v1/organization', { body: patchOf(form.changes) }),
    onMutate: () => form.values,
    onSuccess: async (_reply, _input, written) => {
      await queryClient.invalidateQueries(organizationQuery)
      form.saved(written)
      await queryClient.invalidateQueries(meQuery)
    },
  })
}

/** Errors by the fields of the form, and by `domains[…]` for the entry of a list. */
const useSettingsErrors = (error: unknown): FieldErrors =>
  Object.fromEntries(
    Object.entries(useFieldErrors(error)).map(([field, message]) => [
      field.replace(/^allowedEmailDomains/, 'domains').replace(/^notificationLimits\./, ''),
      message,
    ]),
  )

/** Names of the errors that the form shows at its fields. */
const shownFieldsOf = (values: OrganizationValues, errors: FieldErrors): string[] => [
  ...Object.keys(values),
  ...Object.keys(errors).filter((name) => rootFieldOf(name) === 'domains'),
]

const GeneralSection = ({ form, errors, isReadOnly, slug }: SectionProps & { slug: string }) => {
  const { settings: texts } = useTexts().organizationScreens
  const { fill } = useFormats()
  return (
    <Card title={texts.title}>
      <CardBody>
        <TextField
          label={texts.name}
          error={errors.name}
          value={form.values.name}
          onChange={(name) => form.set({ name })}
          maxLength={100}
          isReadOnly={isReadOnly}
          isRequired
        />
        <Hint>{fill(texts.slug, { slug })}</Hint>
      </CardBody>
    </Card>
  )
}

const SecuritySection = ({ form, errors, isReadOnly }: SectionProps) => {
  const { settings: texts } = useTexts().organizationScreens
  const { values, set } = form
  return (
    <Card title={texts.policies}>
      <CardBody>
        <Checkbox
          label={texts.require2FA}
          hint={texts.require2FAHint}
          isSelected={values.require2FA}
          onChange={(require2FA) => set({ require2FA })}
          isDisabled={isReadOnly}
        />
        <Checkbox
          label={texts.ssoEnforced}
          hint={texts.ssoEnforcedHint}
          isSelected={values.ssoEnforced}
          onChange={(ssoEnforced) => set({ ssoEnforced })}
          isDisabled={isReadOnly}
        />
        {errors.ssoEnforced !== undefined && <Note state="down">{errors.ssoEnforced}</Note>}
        <TextAreaField
          label={texts.domains}
          hint={texts.domainsHint}
          error={entryErrorOf(errors, 'domains', domainsOf(values.domains))}
          value={values.domains}
          onChange={(domains) => set({ domains })}
          isReadOnly={isReadOnly}
          rows={3}
          spellCheck="false"
        />
      </CardBody>
    </Card>
  )
}

const LimitsSection = ({ form, errors, isReadOnly }: SectionProps) => {
  const { settings: texts } = useTexts().organizationScreens
  return (
    <Card title={texts.limits}>
      <CardBody>
        <InlineFields>
          {limitNames.map((limit) => (
            <TextField
              key={limit}
              type="number"
              label={texts[limit]}
              error={errors[limit]}
              value={form.values[limit]}
              onChange={(value) => form.set({ [limit]: value })}
              isReadOnly={isReadOnly}
              isRequired
            />
          ))}
        </InlineFields>
      </CardBody>
    </Card>
  )
}

interface SaveActionsProps {
  form: MergedForm<OrganizationValues>
  isPending: boolean
}

const SaveActions = ({ form, isPending }: SaveActionsProps) => {
  const { settings: texts } = useTexts().organizationScreens
  const { actions } = useTexts()
  return (
    <Actions>
      <Button
        type="submit"
        emphasis="primary"
        isDisabled={!form.isDirty || form.conflicts.length > 0 || isPending}
      >
        {isPending ? actions.saving : texts.save}
      </Button>
      {form.isDirty && (
        <Button emphasis="quiet" onPress={form.discard}>
          {texts.discard}
        </Button>
      )}
    </Actions>
  )
}
