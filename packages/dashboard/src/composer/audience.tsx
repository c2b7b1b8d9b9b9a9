/** Recipients of the incident and the pages that show it, before it is published. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { statusPagesQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { ComposedIncident } from './composed-incident.ts'
import { incidentBodyOf } from './composed-incident.ts'
import classes from './composer.module.css'
import type { ComposerDraft } from './draft.ts'
import { type AudienceBody, audienceQuery } from './queries.ts'
import { useDelayed } from './use-delayed.ts'

const DELAY_MS = 400

interface AudienceProps {
  draft: ComposerDraft
  incident: ComposedIncident
}

export const Audience = ({ draft, incident }: AudienceProps) => {
  const { composer: texts } = useTexts()
  const { plural } = useFormats()
  const body = useMemo(() => audienceBodyOf(draft, incident), [draft, incident])
  // Compared as text, because each change of the draft makes another object.
  const delayed = useDelayed(JSON.stringify(body), DELAY_MS)
  const { data, isError } = useQuery(audienceQuery(JSON.parse(delayed) as AudienceBody))
  const isKnown = data !== undefined && !isError
  return (
    <div className={classes.audience} role="status">
      <p>
        {isKnown
          ? plural(texts.audience, data.sent)
          : isError
            ? texts.audienceUnknown
            : texts.audienceLoading}
      </p>
      {isKnown && <PagesOf ids={data.statusPageIds} />}
    </div>
  )
}

const audienceBodyOf = (draft: ComposerDraft, incident: ComposedIncident): AudienceBody => {
  const body = incidentBodyOf(draft, incident, 0)
  const { impact, status, componentIds, componentStatuses, notifySubscribers } = body
  return { impact, status, componentIds, componentStatuses, notifySubscribers }
}

const PagesOf = ({ ids }: { ids: readonly string[] }) => {
  const { composer: texts } = useTexts()
  const { list } = useFormats()
  const { can } = useSession()
  const { data } = useQuery({ ...statusPagesQuery, enabled: can('STATUS_PAGES_VIEW') })
  if (ids.length === 0) return <p className={classes.quiet}>{texts.noPages}</p>
  const names = (data?.data ?? []).filter(({ id }) => ids.includes(id)).map(({ name }) => name)
  if (names.length === 0) return null
  return (
    <p className={classes.quiet}>
      {texts.pages} <bdi>{list(names)}</bdi>
    </p>
  )
}
