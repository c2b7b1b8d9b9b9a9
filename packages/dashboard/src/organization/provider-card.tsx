/** Identity provider: its present settings, and the form that replaces them. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, CardBody, Fields, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { TextAreaField, TextField } from '../kit/field.tsx'
import { Note } from '../kit/note.tsx'
import { RoleSelect } from '../people/role-select.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type ProviderData, providerQuery } from './queries.ts'

interface ProviderCardProps {
  provider: ProviderData | null
}

export const ProviderCard = ({ provider }: ProviderCardProps) => {
  const { sso: texts } = useTexts().organizationScreens
  const { can } = useSession()
  return (
    <Card
      title={texts.provider}
      aside={provider !== null && can('ORGANIZATION_DELETE') && <RemoveProvider />}
    >
      <CardBody>
        {provider === null ? <Hint>{texts.noProvider}</Hint> : <Facts {...provider} />}
      </CardBody>
      {can('ORGANIZATION_UPDATE') && (
        <CardBody>
          <ProviderForm provider={provider} />
        </CardBody>
      )}
    </Card>
  )
}

const Facts = ({ idpEntityId, certificates }: ProviderData) => {
  const { sso: texts } = useTexts().organizationScreens
  const { fill, time } = useFormats()
  return (
    <>
      <p>
        <strong>{texts.entityId}</strong>
        <br />
        <bdi>{idpEntityId}</bdi>
      </p>
      {certificates.map(({ fingerprintSha256, notAfter }) => (
        <Hint key={fingerprintSha256}>
          {fill(texts.certificate, { fingerprint: fingerprintSha256, time: time(notAfter) })}
        </Hint>
      ))}
    </>
  )
}

interface ProviderValues {
  metadataUrl: string
  metadataXml: string
  isEnabled: boolean
  defaultRole: string
  email: string
  name: string
}

const valuesOf = (provider: ProviderData | null): ProviderValues => ({
  metadataUrl: '',
  metadataXml: '',
  isEnabled: provider?.isEnabled ?? true,
  defaultRole: provider?.defaultRole ?? 'MEMBER',
  email: provider?.attributeMapping.email ?? '',
  name: provider?.attributeMapping.name ?? '',
})

const bodyOf = (values: ProviderValues) => {
  const { metadataUrl, metadataXml, isEnabled, defaultRole, email, name } = values
  return {
    isEnabled,
    defaultRole,
    ...(metadataUrl !== '' && { metadataUrl }),
    ...(metadataXml !== '' && { metadataXml }),
    attributeMapping: { ...(email !== '' && { email }), ...(name !== '' && { name }) },
  }
}

const ProviderForm = ({ provider }: ProviderCardProps) => {
  const { sso: texts } = useTexts().organizationScreens
  const queryClient = useQueryClient()
  const [values, setValues] = useState(() => valuesOf(provider))
  const set = (patch: Partial<ProviderValues>) => setValues((before) => ({ ...before, ...patch }))
  const save = useMutation({
    mutationFn: () => api.PUT('/api/v1/organization/saml', { body: bodyOf(values) }),
    onSuccess: () => {
      set({ metadataUrl: '', metadataXml: '' })
      return queryClient.invalidateQueries(providerQuery)
    },
  })
  const errors = useFieldErrors(save.error)
  const fields = ['metadataUrl', 'metadataXml', 'defaultRole'] as const
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate()
      }}
    >
      <Fields>
        <ProviderFields values={values} errors={errors} onChange={set} />
        <Actions>
          <Button type="submit" emphasis="primary" isDisabled={save.isPending}>
            {texts.save}
          </Button>
        </Actions>
        <ProblemNote error={save.error} fieldErrors={errors} fields={fields} />
        {save.isSuccess && <Note state="ok">{texts.saved}</Note>}
      </Fields>
    </Form>
  )
}

interface ProviderFieldsProps {
  values: ProviderValues
  errors: FieldErrors
  onChange(patch: Partial<ProviderValues>): void
}

const ProviderFields = ({ values, errors, onChange }: ProviderFieldsProps) => {
  const { sso: texts } = useTexts().organizationScreens
  return (
    <>
      <TextField
        type="url"
        dir="ltr"
        label={texts.metadataAddress}
        hint={texts.metadataHint}
        error={errors.metadataUrl}
        placeholder="https://"
        value={values.metadataUrl}
        onChange={(metadataUrl) => onChange({ metadataUrl })}
        maxLength={2048}
      />
      <TextAreaField
        label={texts.metadataXml}
        error={errors.metadataXml}
        value={values.metadataXml}
        onChange={(metadataXml) => onChange({ metadataXml })}
        spellCheck="false"
      />
      <RoleSelect
        label={texts.defaultRole}
        value={values.defaultRole}
        error={errors.defaultRole}
        onChange={(defaultRole) => onChange({ defaultRole })}
      />
      <AttributeFields values={values} onChange={onChange} />
      <Checkbox
        label={texts.isEnabled}
        isSelected={values.isEnabled}
        onChange={(isEnabled) => onChange({ isEnabled })}
      />
    </>
  )
}

const AttributeFields = ({ values, onChange }: Omit<ProviderFieldsProps, 'errors'>) => {
  const { sso: texts } = useTexts().organizationScreens
  return (
    <InlineFields>
      <TextField
        label={texts.emailAttribute}
        hint={texts.attributeHint}
        value={values.email}
        onChange={(email) => onChange({ email })}
        maxLength={256}
      />
      <TextField
        label={texts.nameAttribute}
        hint={texts.attributeHint}
        value={values.name}
        onChange={(name) => onChange({ name })}
        maxLength={256}
      />
    </InlineFields>
  )
}

const RemoveProvider = () => {
  const { sso: texts } = useTexts().organizationScreens
  const queryClient = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/organization/saml'),
    onSuccess: () => queryClient.invalidateQueries(providerQuery),
  })
  return (
    <>
      <Button emphasis="danger" onPress={() => setOpen(true)}>
        {texts.remove}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={texts.removeTitle}
          confirm={texts.remove}
          action={remove}
          onClose={() => setOpen(false)}
        >
          <p>{texts.removeHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
