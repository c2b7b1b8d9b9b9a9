/** Mail domains whose ownership the organization proves by a TXT record. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Actions, CardBody, Hint, InlineFields } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { TextField } from '../kit/field.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type DomainData, domainsQuery } from './queries.ts'

export const DomainsCard = () => {
  const { sso: texts } = useTexts().organizationScreens
  const { can } = useSession()
  const { data: domains, error, refetch } = useQuery(domainsQuery)
  return (
    <Card title={texts.domains}>
      <CardBody>
        <Hint>{texts.domainsHint}</Hint>
        {can('ORGANIZATION_CREATE') && <ClaimForm />}
      </CardBody>
      {domains === undefined &&
        (error === null ? <Skeleton rows={1} /> : <Problem error={error} onRetry={refetch} />)}
      {domains?.map((domain) => (
        <CardBody key={domain.domain}>
          <DomainView domain={domain} />
        </CardBody>
      ))}
    </Card>
  )
}

const ClaimForm = () => {
  const { sso: texts } = useTexts().organizationScreens
  const queryClient = useQueryClient()
  const [domain, setDomain] = useState('')
  const claim = useMutation({
    mutationFn: () => api.POST('/api/v1/organization/domains', { body: { domain } }),
    onSuccess: () => {
      setDomain('')
      return queryClient.invalidateQueries(domainsQuery)
    },
  })
  const errors = useFieldErrors(claim.error, { uniqueField: 'domain' })
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault()
        claim.mutate()
      }}
    >
      <InlineFields>
        <TextField
          label={texts.domain}
          error={errors.domain}
          placeholder="example.com"
          value={domain}
          onChange={setDomain}
          maxLength={253}
          spellCheck="false"
        />
        <Button type="submit" isDisabled={domain === '' || claim.isPending}>
          {texts.claim}
        </Button>
      </InlineFields>
      <ProblemNote error={claim.error} fieldErrors={errors} fields={['domain']} />
    </Form>
  )
}

const DomainView = ({ domain }: { domain: DomainData }) => {
  const { sso: texts } = useTexts().organizationScreens
  const { fill, time } = useFormats()
  const { verifiedAt } = domain
  return (
    <>
      <Actions>
        <StateMark state={verifiedAt === null ? 'work' : 'ok'} />
        <strong>
          <bdi>{domain.domain}</bdi>
        </strong>
        <Hint>
          {verifiedAt === null ? texts.pending : fill(texts.verified, { time: time(verifiedAt) })}
        </Hint>
      </Actions>
      {verifiedAt === null && (
        <>
          <Hint>{texts.txtHint}</Hint>
          <CopyField label={texts.txtName} value={domain.txtName} />
          <CopyField label={texts.txtValue} value={domain.txtValue} />
        </>
      )}
      <DomainActions domain={domain} />
    </>
  )
}

const DomainActions = ({ domain: { domain, verifiedAt } }: { domain: DomainData }) => {
  const { sso: texts } = useTexts().organizationScreens
  const { actions } = useTexts()
  const { fill } = useFormats()
  const { can } = useSession()
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries(domainsQuery)
  const params = { path: { domain } }
  const verify = useMutation({
    mutationFn: () => api.POST('/api/v1/organization/domains/{domain}/verify', { params }),
    onSuccess: refresh,
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/organization/domains/{domain}', { params }),
    onSuccess: refresh,
  })
  return (
    <>
      <Actions>
        {verifiedAt === null && can('ORGANIZATION_UPDATE') && (
          <Button emphasis="primary" onPress={() => verify.mutate()} isDisabled={verify.isPending}>
            {texts.verify}
          </Button>
        )}
        {can('ORGANIZATION_DELETE') && (
          <Button
            emphasis="danger"
            onPress={() => remove.mutate()}
            isDisabled={remove.isPending}
            aria-label={fill(texts.removeDomain, { domain })}
          >
            {actions.remove}
          </Button>
        )}
      </Actions>
      <ProblemNote error={verify.error ?? remove.error} />
    </>
  )
}
