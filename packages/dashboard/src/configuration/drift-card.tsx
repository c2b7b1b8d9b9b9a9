/** Differences between the resources and the latest applied document. */
import { useQuery } from '@tanstack/react-query'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './configuration.module.css'
import { driftQuery } from './queries.ts'

const states: Record<'not_in_config' | 'missing_in_system' | 'modified', State> = {
  not_in_config: 'none',
  missing_in_system: 'down',
  modified: 'slow',
}

export const DriftCard = () => {
  const { configuration: texts } = useTexts()
  const { fill, list, number } = useFormats()
  const { data, error } = useQuery(driftQuery)
  if (data === undefined) return <ProblemNote error={error} />
  const { drift, managedByConfig, totalResources } = data
  return (
    <Card title={texts.drift.title} count={number(drift.length)}>
      <p className={classes.calm}>
        {fill(texts.drift.managed, {
          managed: number(managedByConfig),
          total: number(totalResources),
        })}{' '}
        {drift.length === 0 && texts.drift.none}
      </p>
      {drift.length > 0 && (
        <ScrollRegion label={texts.drift.title}>
          <ul>
            {drift.map(({ resourceType, resourceName, reason, fields }, index) => (
              <ListRow
                // Components in different groups can have the same name.
                key={`${resourceType} ${resourceName} ${reason} ${index}`}
                state={states[reason]}
                title={resourceName}
                facts={[
                  texts.resources[resourceType],
                  texts.drift.reasons[reason],
                  fields.length > 0 ? list(fields) : null,
                ]}
              />
            ))}
          </ul>
        </ScrollRegion>
      )}
    </Card>
  )
}
