/** Facts of an incident, its components, and its postmortem. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { componentStates } from '../overview/states.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'
import type { IncidentDetail } from './queries.ts'

interface CardProps {
  incident: IncidentDetail
}

export const FactsCard = ({ incident }: CardProps) => {
  const { incident: texts, deliveries, ...names } = useTexts()
  const { plural, time } = useFormats()
  const canReadDeliveries = useSession().can('NOTIFICATIONS_VIEW')
  const { status, impact, startedAt, resolvedAt, source, reopenCount, isBackfilled } = incident
  return (
    <Card title={texts.facts}>
      <dl className={classes.facts}>
        <Fact name={texts.status}>{names.incidents[status]}</Fact>
        <Fact name={texts.impact}>{names.impacts[impact]}</Fact>
        <Fact name={texts.start}>{time(startedAt)}</Fact>
        {resolvedAt !== null && <Fact name={texts.end}>{time(resolvedAt)}</Fact>}
        {resolvedAt === null && (
          <Fact name={texts.nextUpdate}>
            <NextUpdate incident={incident} />
          </Fact>
        )}
        <Fact name={texts.origin}>{texts.origins[source]}</Fact>
      </dl>
      {(reopenCount > 0 || isBackfilled || incident.url !== null || canReadDeliveries) && (
        <ul className={classes.notes}>
          {reopenCount > 0 && <li>{plural(texts.reopened, reopenCount)}</li>}
          {isBackfilled && <li>{texts.backfilled}</li>}
          {incident.url !== null && (
            <li>
              <a href={incident.url}>{texts.onPage}</a>
            </li>
          )}
          {canReadDeliveries && (
            <li>
              <Link to="/deliveries" search={{ incident: incident.id }}>
                {deliveries.showOfIncident}
              </Link>
            </li>
          )}
        </ul>
      )}
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const NextUpdate = ({ incident: { nextUpdateAt, isUpdateOverdue } }: CardProps) => {
  const { incident: texts } = useTexts()
  const { fill, time } = useFormats()
  if (nextUpdateAt === null) return texts.notPromised
  const at = time(nextUpdateAt)
  if (!isUpdateOverdue) return at
  return <strong className={classes.overdue}>{fill(texts.overdueSince, { time: at })}</strong>
}

export const ComponentsCard = ({ incident: { components } }: CardProps) => {
  const { incident: texts, components: names } = useTexts()
  const { number } = useFormats()
  return (
    <Card title={texts.components} count={number(components.length)}>
      {components.length === 0 ? (
        <p className={classes.calm}>{texts.noComponents}</p>
      ) : (
        <ul className={classes.components}>
          {components.map(({ id, name, status }) => (
            <li key={id}>
              <StateMark state={componentStates[status]} />
              <bdi>{name}</bdi>
              <span className={classes.fact}>{names[status]}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

export const PostmortemCard = ({ incident: { id, postmortem } }: CardProps) => {
  const { postmortem: texts } = useTexts().incident
  const { can } = useSession()
  const isWritten = postmortem !== null && postmortem !== undefined
  if (!isWritten && !can('INCIDENTS_UPDATE')) return null
  return (
    <Card title={texts.title}>
      <div className={classes.cardBody}>
        <p className={classes.fact}>
          <PublicationState postmortem={postmortem} />
        </p>
        {isWritten && (
          <p className={classes.excerpt} dir="auto">
            {postmortem.summary}
          </p>
        )}
        {can('INCIDENTS_UPDATE') && (
          <p>
            <Link to="/incidents/$id/postmortem" params={{ id }} className={buttonClass()}>
              {isWritten ? texts.open : texts.write}
            </Link>
          </p>
        )}
      </div>
    </Card>
  )
}

export const PublicationState = ({ postmortem }: Pick<IncidentDetail, 'postmortem'>) => {
  const { postmortem: texts } = useTexts().incident
  const { fill, time } = useFormats()
  if (postmortem === null || postmortem === undefined) return texts.none
  const { publishedAt } = postmortem
  return publishedAt === null ? texts.draft : fill(texts.published, { time: time(publishedAt) })
}
