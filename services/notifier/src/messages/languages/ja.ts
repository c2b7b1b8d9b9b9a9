/** Japanese. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const ja: Language = {
  tag: 'ja',
  direction: 'ltr',
  titled: (headline, title) => `${headline}：${title}`,
  incidentStatuses: {
    investigating: '調査中',
    identified: '原因特定',
    monitoring: '経過観察中',
    resolved: '解決済み',
  },
  impacts: { minor: '軽微', major: '重大', critical: '致命的' },
  maintenanceStatuses: {
    scheduled: '予定',
    in_progress: '実施中',
    verifying: '確認中',
    completed: '完了',
    cancelled: '中止',
  },
  maintenanceNews: {
    cancelled: 'メンテナンス中止',
    rescheduled: 'メンテナンス日程変更',
  },
  componentStatuses: {
    operational: '正常',
    degraded_performance: 'パフォーマンス低下',
    partial_outage: '一部障害',
    major_outage: '重大な障害',
    under_maintenance: 'メンテナンス中',
  },
  headlines: {
    'incident.reopened': '再発',
    'maintenance.scheduled': 'メンテナンス予定',
    'maintenance.started': 'メンテナンス開始',
    'maintenance.completed': 'メンテナンス完了',
    'maintenance.reminder': 'まもなくメンテナンス開始',
    'monitor.down': '停止',
    'monitor.degraded': '低下',
    'monitor.recovered': '復旧',
    'oncall.escalated': 'エスカレーション',
    'oncall.acknowledged': '対応開始',
    'oncall.resolved': '解決済み',
    'channel.test': 'テスト',
    'sla.at-risk': 'サービスレベル低下のおそれ',
    'sla.breached': 'サービスレベル違反',
    'sla.recovered': 'サービスレベル回復',
    'sla.response-breached': '初動目標の超過',
    'sla.resolution-breached': '解決目標の超過',
    'certificate.expiring': '証明書の期限切れが近づいています',
    'incident.update-overdue': '更新の遅延',
    'incident-draft.created': 'インシデントの下書き',
    'incident-draft.publishing': '下書きは自動的に公開されます',
  },
  facts: {
    status: '状態',
    impact: '影響度',
    affected: '対象',
    started: '発生',
    resolved: '解決',
    lasted: '継続時間',
    posted: '投稿',
    from: '開始予定',
    until: '終了予定',
    completed: '完了',
    cancelled: '中止',
    since: '発生時刻',
    severity: '重要度',
    schedule: '当番表',
    told: '通知先',
    acknowledged: '対応開始',
    raised: '発報回数',
    escalates: 'エスカレーション予定',
    availability: '稼働率',
    target: '目標',
    budgetLeft: '残りのエラーバジェット',
    due: '期限',
    expires: '有効期限',
    daysLeft: '残り日数',
    publishes: '公開予定',
  },
  maintenanceUpdated: 'メンテナンス更新',
  flapping: '状態が頻繁に変化しています。安定したらお知らせします。',
  severities: { critical: '緊急', warning: '警告' },
  view: {
    incident: 'インシデントを見る',
    maintenance: 'メンテナンスを見る',
    monitor: 'ステータスページを見る',
    alert: 'インシデントを見る',
  },
  coveredUpdates: (count) => `以前の更新${count}件を含みます。`,
  several: (count) => `${count}件の変更`,
  andMore: (count) => `ほか${count}件`,
  lasted(minutes) {
    if (minutes < 1) return '1分未満'
    if (minutes < MINUTES_PER_HOUR) return `${minutes}分`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)}時間${minutes % MINUTES_PER_HOUR}分`
  },
  subscribed: (organizationName) =>
    `${organizationName}の通知を購読されているため、このメッセージをお送りしています。`,
  channelOf: (channelName, organizationName) =>
    `${organizationName}の通知チャネル「${channelName}」から送信されました。`,
  manage: '設定の変更・購読解除',
  confirmation: {
    subject: (pageName) => `${pageName}の購読をご確認ください`,
    question: (pageName) => `${pageName}のステータス通知を受け取りますか？`,
    validUntil: (time) => `ご確認いただくまで何も送信されません。リンクの有効期限は${time}です。`,
    action: '確認する',
    knownSubject: (pageName) => `${pageName}の購読について`,
    known: (pageName) => `このアドレスはすでに${pageName}のステータス通知を受け取っています。`,
    footer: (address, site) =>
      `どなたか（おそらくご本人）が${site}で${address}を入力されました。お心当たりがなければ、何もなさらないでください。`,
  },
  account: {
    invited: {
      subject: (organizationName) => `${organizationName}への招待`,
      line: (inviter, organizationName) =>
        `${inviter}から${organizationName}への招待が届いています。`,
      administrator: '管理者',
      validUntil: (time) => `招待の有効期限は${time}です。`,
      fields: 'アカウントをお持ちでない場合は名前とパスワード',
    },
    reset: {
      subject: '新しいパスワードの設定',
      line: 'どなたか（おそらくご本人）が新しいパスワードを請求されました。お心当たりがなければ、このメールを無視してください。',
      validUntil: (time) => `トークンは${time}まで、1回だけ使えます。`,
    },
    verify: {
      subject: 'メールアドレスの確認',
      line: 'このアドレスでアカウントが作成されました。お心当たりがなければ、このメールを無視してください。',
      validUntil: (time) => `トークンは${time}まで、1回だけ使えます。`,
      fields: 'セッションのCookie',
    },
    warned: {
      subject: (organizationName) => `${organizationName}からのセキュリティ通知`,
      warnings: {
        two_factor_guessed:
          'パスワードを知る何者かが、誤った二要素認証コードを何度も入力しました。ご本人でない場合は、パスワードを変更してください。',
        emergency_login:
          'シングルサインオンが必須であるにもかかわらず、オーナーがパスワードと第二要素でログインしました。',
        organization_deletion_requested:
          'オーナーがこの組織の削除を依頼しました。組織は7日後に削除されます。それまではオーナーが復元できます。',
        organization_deletion_withdrawn: 'オーナーがこの組織を復元しました。組織は削除されません。',
      },
      seen: (time, place) => `日時：${time}、接続元：${place}。`,
      unknownPlace: '不明なアドレス',
    },
    token: 'トークン',
    callWith: (fields) => `送信する値：トークン、${fields}`,
    footer: (address, site) =>
      `どなたかが${site}で${address}を使用したため、このメッセージをお送りしています。`,
  },
  alert: {
    escalated: (severity) => `${severity}（エスカレーション）`,
    acknowledgedBy: (name) => `${name}が対応開始`,
    nobody: 'なし',
    times: (count) => `${count}回`,
    acknowledge: '対応を開始し、エスカレーションを止めるには：',
    resolve: 'アラートを閉じるには：',
    footer: (organizationName) =>
      `${organizationName}の当番であるため、このメッセージをお送りしています。`,
  },
  ended: {
    subject: (count) => `${count}件の宛先への送信を終了しました`,
    subscriber: (label) => `購読者 ${label}`,
    channel: (name) => `チャネル ${name}`,
    line: (owner, type, reason, time) => `${owner}（${type}）：${reason}（${time}から）`,
    reasons: {
      sms_stop: 'STOPと返信されました',
      hard_bounce: 'メールボックスが存在しません',
      mailbox_full: 'メールボックスが満杯のままです',
      complaint: 'メッセージが迷惑メールとして報告されました',
      invalid_number: 'この番号はテキストメッセージを受信できません',
      unreachable: '電話に届かない状態が続いています',
      endpoint_gone: 'エンドポイントが廃止されたと応答しています',
      endpoint_failing: 'エンドポイントが5日間失敗し続けています',
    },
    remedy: (call, body) =>
      `購読者は${call}に${body}を送ると再開し、チャネルは変更または再有効化すると再開します。`,
    footer: (organizationName) =>
      `${organizationName}の購読者を管理されているため、このメッセージをお送りしています。`,
  },
  ownerFooter: (organizationName) =>
    `${organizationName}のオーナーであるため、このメッセージをお送りしています。`,
  textHelp: (organizationName) =>
    `${organizationName}のステータス通知。停止はSTOP、再開はSTARTと返信してください。`,
  test: {
    title: (channelName) => `${channelName}のテスト`,
    message: 'これはテストです。お読みいただければ、チャネルは正常です。',
    component: 'サンプル',
  },
}
