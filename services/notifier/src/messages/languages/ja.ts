/** Phrases of messages in Japanese. */
import type { MessagePhrases } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const ja: MessagePhrases = {
  titled: (headline, title) => `${headline}：${title}`,
  link: (label, url) => `${label}：${url}`,
  maintenanceContent: {
    cancelled: 'メンテナンス中止',
    rescheduled: 'メンテナンス日程変更',
  },
  headlines: {
    'incident.reopened': '再オープン',
    'maintenance.scheduled': 'メンテナンス予定',
    'maintenance.started': 'メンテナンス開始',
    'maintenance.completed': 'メンテナンス完了',
    'maintenance.reminder': 'まもなくメンテナンス開始',
    'monitor.down': '停止',
    'monitor.degraded': 'パフォーマンス低下',
    'monitor.recovered': '復旧',
    'oncall.escalated': 'エスカレーション',
    'oncall.acknowledged': '確認済み',
    'oncall.resolved': '解決済み',
    'channel.test': 'テスト',
    'sla.at-risk': 'SLA 違反のおそれ',
    'sla.breached': 'SLA 違反',
    'sla.recovered': 'SLA 回復',
    'sla.response-breached': '対応目標の超過',
    'sla.resolution-breached': '解決目標の超過',
    'certificate.expiring': '証明書の有効期限が近づいています',
    'incident.update-overdue': '更新の遅延',
    'incident-draft.created': 'インシデントの下書き作成',
    'incident-draft.publishing': '下書きは自動的に公開されます',
  },
  facts: {
    status: 'ステータス',
    impact: '影響度',
    affected: '影響範囲',
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
    schedule: 'オンコールスケジュール',
    notified: '通知先',
    acknowledged: '確認',
    raised: '発生回数',
    escalates: 'エスカレーション予定',
    availability: '稼働率',
    target: '目標',
    budgetLeft: '残りのエラーバジェット',
    due: '期限',
    expires: '有効期限',
    daysLeft: '残り日数',
    publishes: '公開予定',
    page: 'ページ',
    reason: '理由',
  },
  maintenanceUpdated: 'メンテナンス更新',
  flapping: 'ステータスが頻繁に変化しています。安定したら通知します。',
  severities: { critical: '緊急', warning: '警告' },
  view: {
    incident: 'インシデントを表示',
    maintenance: 'メンテナンスを表示',
    monitor: 'ステータスページを表示',
    alert: 'インシデントを表示',
  },
  respond: '対応する',
  coveredUpdates: (count) => `以前の更新${count}件を含みます。`,
  several: (count) => `${count}件の更新`,
  separator: '、',
  andMore: (count) => `ほか${count}件`,
  lasted(minutes) {
    if (minutes < 1) return '1分未満'
    if (minutes < MINUTES_PER_HOUR) return `${minutes}分`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)}時間${minutes % MINUTES_PER_HOUR}分`
  },
  subscribed: (senderName) => `このメッセージは、${senderName}を購読している方にお送りしています。`,
  channelOf: (channelName, organizationName) =>
    `${organizationName}の通知チャネル「${channelName}」から送信されました。`,
  manage: '購読の管理・解除',
  confirmation: {
    subject: (pageName) => `${pageName}の購読を確認してください`,
    question: (pageName) => `${pageName}のステータス通知を受け取ることを確認してください。`,
    validUntil: (time) => `確認が完了するまで通知は送信されません。リンクの有効期限は${time}です。`,
    action: '購読を確認',
    knownSubject: (pageName) => `${pageName}の購読について`,
    known: (pageName) => `このアドレスはすでに${pageName}のステータス通知を購読しています。`,
    footer: (address, site) =>
      `このメールは、${site}で${address}が入力されたためお送りしています。お心当たりがない場合は、このメールを無視してください。`,
  },
  account: {
    invited: {
      subject: (organizationName) => `${organizationName}への招待`,
      line: (inviter, organizationName) => `${inviter}から${organizationName}に招待されました。`,
      administrator: '管理者',
      validUntil: (time) => `この招待の有効期限は${time}です。`,
      action: '招待を承諾',
    },
    reset: {
      subject: 'パスワードの再設定',
      line: 'アカウントのパスワードの再設定がリクエストされました。お心当たりがない場合は、このメールを無視してください。',
      validUntil: (time) => `リンクは1回のみ使用でき、有効期限は${time}です。`,
      action: '新しいパスワードを設定',
    },
    verify: {
      subject: 'メールアドレスの確認',
      line: 'このアドレスでアカウントが作成されました。お心当たりがない場合は、このメールを無視してください。',
      validUntil: (time) => `リンクは1回のみ使用でき、有効期限は${time}です。`,
      action: 'アドレスを確認',
    },
    test: {
      subject: (organizationName) => `${organizationName}からのテストメッセージ`,
      line: 'このインストールからのメールは、このアドレスに届きます。このメッセージはダッシュボードから送信されました。',
    },
    warned: {
      subject: (organizationName) => `${organizationName}からのセキュリティ通知`,
      warnings: {
        two_factor_guessed:
          '正しいパスワードの入力後、誤った二要素認証コードが複数回入力されました。お心当たりがない場合は、パスワードを変更してください。',
        emergency_login:
          'シングルサインオンが必須に設定されていますが、オーナーがパスワードと第二要素でログインしました。',
        organization_deletion_requested:
          'オーナーがこの組織の削除を依頼しました。組織は7日後に削除されます。それまではオーナーが復元できます。',
        organization_deletion_withdrawn: 'オーナーがこの組織を復元しました。組織は削除されません。',
      },
      seen: (time, place) => `日時：${time}、接続元：${place}。`,
      unknownPlace: '不明なアドレス',
    },
    footer: (address, site) =>
      `このメールは、${site}で${address}が使用されたためお送りしています。`,
  },
  alert: {
    escalated: (severity) => `${severity}（エスカレーション）`,
    acknowledgedBy: (name) => `${name}が確認`,
    noOne: 'なし',
    times: (count) => `${count}回`,
    footer: (organizationName) =>
      `このメールは、${organizationName}のオンコール担当者にお送りしています。`,
  },
  ended: {
    subject: (count) => `${count}件の宛先への通知を停止しました`,
    subscriber: (label) => `購読者 ${label}`,
    channel: (name) => `チャネル ${name}`,
    line: (owner, type, reason, time) => `${owner}（${type}）：${reason}（${time}から）`,
    types: { email: 'メール' },
    reasons: {
      sms_stop: 'STOPと返信されました',
      hard_bounce: 'メールボックスが存在しません',
      mailbox_full: 'メールボックスがいっぱいです',
      complaint: '受信者がメッセージを迷惑メールとして報告しました',
      invalid_number: 'この番号はSMSを受信できません',
      unreachable: '電話に接続できません',
      endpoint_gone: 'エンドポイントが存在しません',
      endpoint_failing: 'エンドポイントが5日間失敗しています',
    },
    remedy:
      '購読者は、ステータスページで再び購読し、アドレスを確認すると、通知を再び受け取れます。STOP と返信した場合は、先に START と返信する必要があります。チャネルは、管理者が設定を修正するか有効にすると再開します。',
    footer: (organizationName) =>
      `このメールは、${organizationName}の購読者を管理している方にお送りしています。`,
  },
  location: {
    headline: 'プライベートロケーションとの接続がありません',
    consequence:
      'このロケーションのエージェントから 45 秒間リクエストがありません。チェックは実行されず、コンポーネントのステータスは変わりません。',
  },
  vendor: {
    headline: 'ベンダーのステータスページのデータがありません',
    consequence:
      'ページを再び読み取れるまで、このページに従うコンポーネントのステータスは変わりません。',
    reasons: {
      blocked: 'アドレスが公開されていません',
      dns_error: 'ホスト名が見つかりません',
      connect_error: 'サーバーが接続を受け付けません',
      tls_error: '証明書が有効ではありません',
      protocol_error: '応答が有効な HTTP ではありません',
      timeout: '時間内に応答がありません',
      too_large: 'ドキュメントが 2 MiB を超えています',
      too_complex: 'ドキュメントが複雑すぎます',
      too_many_redirects: 'リダイレクトが多すぎます',
      error_response: 'サーバーがエラーを返しました',
      unknown_format: 'ドキュメントの形式が不明です',
      component_not_found: 'ページに該当するコンポーネントがありません',
    },
  },
  ownerFooter: (organizationName) =>
    `このメールは、${organizationName}のオーナーにお送りしています。`,
  textHelp: (organizationName) =>
    `${organizationName}のステータス通知です。購読解除はSTOP、再開はSTARTと返信してください。`,
  test: {
    title: (channelName) => `${channelName}のテスト通知`,
    message: 'これはテスト通知です。チャネルは正常に動作しています。',
    component: 'サンプル',
  },
}
