/** Fields of the settings of a component, by its type. */
import { Card } from '../kit/card.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { CheckKindChoice } from './check-kind-choice.tsx'
import { checkKindOf, hasAgents } from './check-kinds.ts'
import { ConditionsField } from './conditions-field.tsx'
import type { ComponentKind } from './draft.ts'
import classes from './editor.module.css'
import type { EditorProps } from './editor-props.ts'
import { BooleanField, NumberFields, TextFieldOf } from './fields.tsx'
import { GeneralFields } from './general-fields.tsx'
import { LazyHeartbeatFields } from './lazy-heartbeat.tsx'
import { LazyPrivateLocations } from './lazy-private-locations.tsx'
import { MetricFields } from './metric-fields.tsx'
import { RequestFields } from './request-fields.tsx'
import type { ComponentData } from './tree.ts'
import { UpstreamFields } from './upstream-fields.tsx'

interface EditorFieldsProps extends EditorProps {
  type: ComponentKind
  /** Null for a new component. */
  component: ComponentData | null
}

export const EditorFields = ({ type, component, ...props }: EditorFieldsProps) => {
  const { sections } = useTexts().componentScreens.editor
  const isHeartbeat = type === 'ENDPOINT' && props.draft.kind === 'heartbeat'
  return (
    <div className={classes.sections}>
      {type === 'ENDPOINT' && component === null && <CheckKindChoice {...props} />}
      <Card title={sections.general}>
        <div className={classes.fields}>
          <GeneralFields {...props} component={component} />
        </div>
      </Card>
      {isHeartbeat && (
        <Card title={sections.heartbeat}>
          <div className={classes.fields}>
            <LazyHeartbeatFields {...props} />
          </div>
        </Card>
      )}
      {type === 'ENDPOINT' && !isHeartbeat && <RequestCards {...props} />}
      {type === 'ENDPOINT' && <IncidentsCard {...props} />}
      {type === 'SERVICE' && (
        <Card title={sections.upstream}>
          <div className={classes.fields}>
            <UpstreamFields {...props} />
          </div>
        </Card>
      )}
      {type === 'METRIC' && (
        <Card title={sections.metric}>
          <div className={classes.fields}>
            <MetricFields {...props} />
          </div>
        </Card>
      )}
    </div>
  )
}

/** Settings of a check that sends requests. */
const RequestCards = (props: EditorProps) => {
  const { sections, ...editor } = useTexts().componentScreens.editor
  const { can } = useSession()
  const isForAgents = can('ORGANIZATION_VIEW') && hasAgents(checkKindOf(props.draft))
  return (
    <>
      <Card title={sections.request}>
        <div className={classes.fields}>
          <RequestFields {...props} />
        </div>
      </Card>
      <Card title={sections.conditions}>
        <div className={classes.fields}>
          <ConditionsField {...props} />
        </div>
      </Card>
      <Card title={sections.schedule}>
        <div className={classes.fields}>
          <NumberFields
            {...props}
            names={['checkInterval', 'timeout', 'failureThreshold', 'recoveryThreshold']}
          />
          <TextFieldOf {...props} name="locations" hint={editor.locationsHint} />
          {isForAgents && <LazyPrivateLocations {...props} />}
          <TextFieldOf {...props} name="locationQuorum" hint={editor.locationQuorumHint} />
        </div>
      </Card>
    </>
  )
}

const IncidentsCard = (props: EditorProps) => {
  const { sections } = useTexts().componentScreens.editor
  return (
    <Card title={sections.incidents}>
      <div className={classes.fields}>
        <BooleanField {...props} name="autoCreateIncident" />
        <BooleanField {...props} name="autoResolve" />
      </div>
    </Card>
  )
}
