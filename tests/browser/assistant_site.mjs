// The site and the answers that the tests of the assistant share.

const page = (title, body, mode) => `---\ntitle: ${title}\n${mode ? `mode: ${mode}\n` : ""}---\n${body}\n`;
const LONG = Array.from({ length: 30 }, (_, number) => `## Part ${number}\n\nHarbor receives events from your services, and delivers them in order.\n`).join("\n");

export const SITE = {
  "docs.json": {
    theme: "mint",
    name: "Harbor",
    colors: { primary: "#0f766e" },
    contextual: { options: ["copy", "assistant"] },
    navbar: { links: [{ label: "Status", href: "https://example.com/status" }], primary: { type: "button", label: "Sign in", href: "https://example.com" } },
    navigation: {
      languages: [
        { language: "en", pages: ["index", "guides/install", "guides/limits", "ask"] },
        { language: "de", pages: ["de/index"] },
        { language: "ar", pages: ["ar/index"] },
      ],
    },
  },
  "index.mdx": page("Start", `Harbor delivers events. See [the installation](/guides/install).\n\n${LONG}`),
  "guides/install.mdx": page("Installation", "Begin.\n\n## On Linux\n\nDownload the archive, then unpack it.\n\n## On macOS\n\nUse the installer.\n"),
  "guides/limits.mdx": page("Limits", "A queue holds 10,000 events.\n\n```bash limits.sh\nharbor limits --queue events\n```\n\n```bash\nharbor <run>\n```\n"),
  "ask.mdx": page("Questions", "Everything about Harbor.", "assistant"),
  "de/index.mdx": page("Anfang", "Harbor liefert Ereignisse."),
  "ar/index.mdx": page("بداية", "يسلّم Harbor الأحداث."),
};

export const SOURCES = [
  ["source", { index: 0, title: "Installation", heading: "On Linux", page: "guides/install", anchor: "on-linux", quote: "Download the archive, then unpack it." }],
  ["source", { index: 3, title: "Limits", heading: "Limits", page: "guides/limits", anchor: "", quote: "A queue holds 10,000 events." }],
];

const CODE = "Run the program with the address of a queue:\n\n```bash\nharbor run --queue events --address https://queue.example.com:8443/v1/events\n```";
const TABLE = "| Setting | Meaning | Default |\n| --- | --- | --- |\n| `queue` | Name of the queue | `events` |\n| `limit` | Events that it **holds** | 10,000 |";

/// An answer of a model, with everything that Markdown can do.
export const ANSWER = [
  SOURCES[0],
  ["paragraph", { text: "Download the archive for your system and *unpack* it. On **Linux**, the program is in the folder `bin`.", sources: [0] }],
  ["paragraph", { text: "Then:\n\n1. Open [the limits](/guides/limits).\n2. Choose a queue:\n   - one for events\n   - one for errors\n3. Start it.", sources: [] }],
  SOURCES[1],
  ["paragraph", { text: TABLE, sources: [3] }],
  ["paragraph", { text: CODE, sources: [0, 3] }],
  ["done", { kind: "answer", id: "a1" }],
];
export const EXTRACT = [...SOURCES, ["paragraph", { text: "Download the archive, then unpack it.", sources: [0] }], ["paragraph", { text: "A queue holds 10,000 events.", sources: [3] }], ["done", { kind: "extract", id: "a2" }]];
/// An answer that the server kept, so it takes a rating.
export const RATED = [...EXTRACT.slice(0, -1), ["done", { kind: "extract", id: "r1", rated: true }]];
export const REFUSAL = [...SOURCES, ["done", { kind: "refused", id: "a3" }]];
export const CHOICES = [["choices", { text: "Which product do you mean?", choices: ["Cloud", "Self-hosted"] }], ["done", { kind: "choices", id: "a4" }]];
