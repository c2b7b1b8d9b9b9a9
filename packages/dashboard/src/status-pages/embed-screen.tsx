/** Codes and addresses of a status page for other websites and programs. */
import type { BadgeMetric } from '@status-page/contracts'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Note } from '../kit/note.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import {
  badgeHtml,
  badgeMarkdown,
  badgeUrl,
  bannerCode,
  dataUrlOf,
  feedUrlOf,
  frameCode,
} from './embed-codes.ts'
import type { PageResource } from './page-draft.ts'
import { PageFrame } from './page-frame.tsx'

interface EmbedViewProps {
  page: PageResource
}

export const EmbedScreen = () => {
  const { id } = useParams({ from: '/pages/$id/embed' })
  return <PageFrame key={id} id={id} view={EmbedView} />
}

const EmbedView = ({ page }: EmbedViewProps) => {
  const { embed: texts } = useTexts().statusPages
  return (
    <div className={classes.form}>
      {!page.isPublished && <Note state="slow">{texts.unpublished}</Note>}
      {page.visibility !== 'public' && <Note state="slow">{texts.restricted}</Note>}
      <Card title={texts.widgets}>
        <div className={classes.fields}>
          <Code name={texts.banner} hint={texts.bannerHint} code={bannerCode(page)} />
          <Code name={texts.frame} hint={texts.frameHint} code={frameCode(page)} />
        </div>
      </Card>
      <Badges page={page} />
      <Feeds page={page} />
      <Card title={texts.data}>
        <div className={classes.fields}>
          <Code name={texts.status} code={dataUrlOf(page)} />
          <Code name={texts.summary} code={`${dataUrlOf(page)}/api/v2/summary.json`} />
        </div>
      </Card>
    </div>
  )
}

const Badges = ({ page }: EmbedViewProps) => {
  const { embed: texts } = useTexts().statusPages
  const [metric, setMetric] = useState<BadgeMetric>('status')
  const isVisible = page.isPublished && page.visibility === 'public'
  return (
    <Card title={texts.badges}>
      <div className={classes.fields}>
        <div className={classes.buttons}>
          <Segmented<BadgeMetric>
            label={texts.badge}
            options={[
              { value: 'status', label: texts.badgeStatus },
              { value: 'uptime', label: texts.badgeUptime },
            ]}
            value={metric}
            onChange={setMetric}
          />
          {isVisible && <img src={badgeUrl(page, metric)} alt={texts.badges} />}
        </div>
        <Code name={texts.markdown} code={badgeMarkdown(page, metric)} />
        <Code name={texts.html} code={badgeHtml(page, metric)} />
        <Code name={texts.image} code={badgeUrl(page, metric)} />
      </div>
    </Card>
  )
}

const Feeds = ({ page }: EmbedViewProps) => {
  const { embed: texts } = useTexts().statusPages
  return (
    <Card title={texts.feeds}>
      <div className={classes.fields}>
        {page.allowFeeds ? (
          (['atom', 'rss', 'json'] as const).map((format) => (
            <Code key={format} name={texts[format]} code={feedUrlOf(page, format)} />
          ))
        ) : (
          <p className={classes.quiet}>{texts.feedsOff}</p>
        )}
        <Code name={texts.calendar} code={`${dataUrlOf(page)}/maintenances.ics`} />
      </div>
    </Card>
  )
}

const Code = ({ name, hint, code }: { name: string; hint?: string; code: string }) => (
  <div className={classes.code}>
    <CopyField label={name} value={code} />
    {hint !== undefined && <p className={classes.quiet}>{hint}</p>}
  </div>
)
