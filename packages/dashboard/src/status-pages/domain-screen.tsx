/** Custom domain of a status page: claim, DNS records with their states, and activation. */
import type { Schemas } from '@status-page/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Form } from 'react-aria-components'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { useFieldErrors } from '../app/use-field-errors.ts'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { TextField } from '../kit/field.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import type { PageResource } from './page-draft.ts'
import { PageFrame } from './page-frame.tsx'
import { statusPageQuery } from './queries.ts'

type DomainCheck = Schemas['CustomDomainCheck']
type RecordCheck = DomainCheck['cname']

const domainStates: Record<PageResource['customDomainStatus'], State> = {
  none: 'none',
  pending: 'work',
  active: 'ok',
  failed: 'down',
}

export const DomainScreen = () => {
  const { id } = useParams({ from: '/pages/$id/domain' })
  return <PageFrame key={id} id={id} view={DomainView} />
}

const DomainView = ({ page }: { page: PageResource }) => {
  const { can } = useSession()
  const canEdit = can('STATUS_PAGES_UPDATE')
  const { customDomain } = page
  return (
    <div className={classes.form}>
      <DomainState page={page} />
      {canEdit && <DomainForm key={customDomain} page={page} />}
      {canEdit && customDomain !== null && (
        <DnsRecords key={`records ${customDomain}`} page={page} />
      )}
    </div>
  )
}

const DomainState = ({ page }: { page: PageResource }) => {
  const { domain: texts } = useTexts().statusPages
  const { fill } = useFormats()
  const { customDomain, customDomainStatus: status } = page
  const url = status === 'active' ? `https://${customDomain}` : page.url
  return (
    <Note state={domainStates[status]}>
      <strong>{texts.states[status]}</strong>
      {customDomain !== null && (
        <>
          {' '}
          <bdi>{customDomain}</bdi>
        </>
      )}
      <p>{fill(texts.stateHints[status], { url })}</p>
    </Note>
  )
}

const DomainForm = ({ page }: { page: PageResource }) => {
  const { statusPages, actions } = useTexts()
  const { domain: texts } = statusPages
  const [domain, setDomain] = useState(page.customDomain ?? '')
  const save = useSetDomain(page.id)
  const errors = useFieldErrors(save.error, { uniqueField: 'customDomain' })
  const isUnchanged = domain.trim() === (page.customDomain ?? '')
  return (
    <Card title={texts.domain}>
      <Form
        className={classes.fields}
        onSubmit={(event) => {
          event.preventDefault()
          save.mutate(domain.trim())
        }}
      >
        <TextField
          label={texts.domain}
          isLabelHidden
          hint={texts.hint}
          error={errors.customDomain}
          value={domain}
          onChange={setDomain}
          placeholder="status.example.com"
          dir="ltr"
          maxLength={253}
          spellCheck="false"
        />
        <div className={classes.buttons}>
          <Button
            type="submit"
            emphasis={page.customDomain === null ? 'primary' : 'secondary'}
            isDisabled={isUnchanged || domain.trim() === '' || save.isPending}
          >
            {save.isPending ? actions.saving : texts.use}
          </Button>
          {page.customDomain !== null && (
            <Button onPress={() => save.mutate(null)} isDisabled={save.isPending}>
              {texts.remove}
            </Button>
          )}
        </div>
        <ProblemNote error={save.error} fieldErrors={errors} fields={['customDomain']} />
      </Form>
    </Card>
  )
}

const useSetDomain = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (customDomain: string | null) => {
      const params = { path: { id } }
      return (await api.PATCH('/api/v1/status-pages/{id}', { params, body: { customDomain } })).data
    },
    onSuccess: (saved) => {
      queryClient.setQueryData(statusPageQuery(id).queryKey, saved)
      return queryClient.invalidateQueries({ queryKey: ['status-pages'] })
    },
  })
}

const UNKNOWN = 'unchecked'

const DnsRecords = ({ page }: { page: PageResource }) => {
  const { domain: texts } = useTexts().statusPages
  const check = useDomainCheck(page.id)
  const known = check.data ?? expectedOf(page)
  return (
    <Card title={texts.records}>
      <div className={classes.fields}>
        <p className={classes.quiet}>{texts.isTls}</p>
        <DnsRecord type="CNAME" record={known.cname} />
        <DnsRecord type="TXT" record={known.txt} />
        <p>
          <Button
            emphasis={page.customDomainStatus === 'active' ? 'secondary' : 'primary'}
            onPress={() => check.mutate()}
            isDisabled={check.isPending}
          >
            {check.isPending ? texts.checking : texts.check}
          </Button>
        </p>
        <ProblemNote error={check.error} />
      </div>
    </Card>
  )
}

interface ShownRecord extends Omit<RecordCheck, 'state'> {
  state: RecordCheck['state'] | typeof UNKNOWN
}

/** Records before their first check; an active domain has both. */
const expectedOf = (page: PageResource): { cname: ShownRecord; txt: ShownRecord } => {
  const { customDomain, customDomainToken, customDomainStatus } = page
  const name = customDomain ?? ''
  const state = customDomainStatus === 'active' ? 'valid' : UNKNOWN
  return {
    cname: { name, expected: new URL(page.url).hostname, state },
    txt: { name: `_status-page.${name}`, expected: customDomainToken ?? '', state },
  }
}

const useDomainCheck = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () => {
      const params = { path: { id } }
      return (await api.POST('/api/v1/status-pages/{id}/custom-domain/check', { params })).data
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['status-pages'] }),
  })
}

const recordMarks: Record<ShownRecord['state'], State> = {
  valid: 'ok',
  missing: 'part',
  different: 'down',
  no_answer: 'slow',
  unchecked: 'none',
}

const DnsRecord = ({ type, record }: { type: 'CNAME' | 'TXT'; record: ShownRecord }) => {
  const { domain: texts } = useTexts().statusPages
  const { labelled } = useFormats()
  const { name, expected, state } = record
  const stateText = state === UNKNOWN ? texts.unchecked : texts.recordStates[state]
  return (
    <section className={classes.record} aria-label={type}>
      <p className={classes.recordTitle}>
        <StateMark state={recordMarks[state]} />
        <strong>{type}</strong>
        <span className={classes.quiet} role="status">
          {stateText}
        </span>
      </p>
      <CopyField label={labelled(type, texts.name)} value={name} />
      <CopyField label={labelled(type, texts.value)} value={expected} />
    </section>
  )
}
