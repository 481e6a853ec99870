/**
 * Words that say nothing about what is needed: function words, and the wrapping of a request ("please", "I want to",
 * 帮我). Verbs such as "get" or "create" are not among them: they tell one capability from another.
 */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the this that these those it its there here',
    'i me my mine we us our you your he him his she her they them their someone somebody',
    'of for in on at by with from to into onto as about over under between than then',
    'and or but nor not no if so when while where which who whom whose what why how',
    'is are was were be been being am do does did doing done has have had having',
    'will would shall should can could may might must let lets want wants wanted need needs needed like please tell help',
    'use uses used using answer answers answered just some any all each every one ones way thing things also only very',
    'ca s t re ve ll d m',
  ]
    .join(' ')
    .split(' ')
    .concat(
      // One string a group: the request's wrapping, particles and pronouns, question words, the usual wording of descriptions.
      '请 请问 帮 帮我 帮忙 我要 我想 想 想要 要 需要 希望 麻烦 给 给我 一下 能 能否 能够 可以 可否 能不能 可不可以',
      '的 地 得 了 着 过 和 与 及 或 或者 以及 并 并且 而 但 在 于 对 从 到 把 被 为 为了 由 向 就 都 也 还 再 很 有 是 不 没 没有',
      '我 你 他 她 它 我们 你们 他们 您 咱们 这 那 这个 那个 这些 那些 一 个 些 一个 一些 某 某个 每 每个 吗 呢 吧 啊 呀 嘛',
      '什么 怎么 怎么样 怎样 样 样的 啥 如何 哪 哪里 哪儿 哪个 哪些 谁 几 多少 为什么 怎么办 是否 有没有',
      '用 用于 用来 使用 时 时候 当 根据 按 按照 通过 返回 回答 适用 适用于 此 该 其 等',
    )
    .flatMap((group) => group.split(' ')),
);
