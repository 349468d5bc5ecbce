import { randomBytes, randomInt } from "node:crypto";
import type { Socket } from "node:dgram";
import { FRAME_MS } from "../../../audio/audio.ts";
import type { PacketCounts } from "../../call.ts";
import { createAllowance } from "../allowance.ts";
import type { Reception } from "./reception.ts";
import { ntpMiddleOf, readRtcp, type ReceiverReport, writeRtcp } from "./rtcp.ts";
import type { Hop } from "./signalling-socket.ts";

const TICKS_PER_MS = 8;
/** Number of units per second of the short times in reports. */
const SHORT_UNITS = 65_536;
/** A peer sends a report every few seconds. Reports beyond these limits are ignored. */
const REPORTS_AT_ONCE_MAX = 20;
const REPORTS_PER_MS = 0.01;
/** Random intervals of 0.5 to 1.5 times five seconds, so that the reports of many calls do not coincide (RFC 3550, section 6.2). */
const WAIT_FRAMES_MIN = 2_500 / FRAME_MS;
const WAIT_FRAMES_MAX = 7_500 / FRAME_MS;

export type SentSound = { timestamp: number; packets: number; octets: number };

type ControlNeeds = {
  socket: Socket;
  /** The RTP source identifier (SSRC) of the sent sound. */
  source: number;
  isOfPeer: (address: string) => boolean;
  sent: () => SentSound;
  reception: Reception;
  /** The source identifier of the received sound; undefined before the first packet. */
  heardSource: () => number | undefined;
  /** Called when the other side reports that it has sent no sound since its previous report. Silence is then not a loss. */
  quiet: () => void;
};

/** The RTCP reports of one call (RFC 3550). */
export type Control = {
  use: (to: Hop) => void;
  /** Counts a frame, and sends a report when one is due. */
  tick: () => void;
  /** Returns what the other side reports about the sent sound. */
  reported: () => Pick<PacketCounts, "lost" | "jitterMs" | "jitterMaxMs">;
  roundTripMs: () => number | null;
  /** Sends a last report with a BYE packet, and closes the socket. */
  close: () => void;
};

export function createControl(needs: ControlNeeds): Control {
  const { socket, source, reception } = needs;
  const cname = randomBytes(8).toString("hex");
  const datagrams = createAllowance(REPORTS_AT_ONCE_MAX, REPORTS_PER_MS);
  let to: Hop | undefined;
  let waitFrames = WAIT_FRAMES_MIN;
  let heardReport: { source: number; ntpMiddle: number; atMs: number; packets: number } | undefined;
  let last: ReceiverReport | undefined;
  let lostBefore = 0;
  let reports = 0;
  let jitterSum = 0;
  let jitterMax = 0;
  let roundTrip: number | null = null;
  let isOpen = true;

  socket.on("message", (datagram, from) => {
    if (!needs.isOfPeer(from.address) || !datagrams.take(1)) return;
    const message = readRtcp(datagram, source);
    if (!message) return;
    to = { address: from.address, port: from.port };
    const { sender, receiver } = message;
    if (sender) {
      if (sender.packets === (heardReport?.packets ?? 0)) needs.quiet();
      heardReport = { ...sender, atMs: performance.now() };
    } else needs.quiet();
    if (receiver) take(receiver);
  });

  function take(report: ReceiverReport): void {
    // The reporter has changed, for example after a transfer of the call. The new reporter counts from zero.
    if (last && last.reporter !== report.reporter) lostBefore += Math.max(0, last.lost);
    last = report;
    reports++;
    jitterSum += report.jitter;
    jitterMax = Math.max(jitterMax, report.jitter);
    if (report.lastReport === 0) return;
    const units = (ntpMiddleOf(Date.now()) - report.lastReport - report.delaySinceLastReport) | 0;
    if (units >= 0) roundTrip = (units * 1_000) / SHORT_UNITS;
  }

  function send(isLast: boolean): void {
    if (!to || !isOpen) return;
    const from = needs.heardSource();
    const report = from === undefined ? undefined : reception.report();
    const before = heardReport?.source === from ? heardReport : undefined;
    const datagram = writeRtcp({
      source,
      cname,
      unixMs: Date.now(),
      ...needs.sent(),
      heard: report && {
        ...report,
        source: from!,
        lastReport: before?.ntpMiddle ?? 0,
        delaySinceLastReport: before ? Math.round(((performance.now() - before.atMs) * SHORT_UNITS) / 1_000) : 0,
      },
      isLast,
    });
    socket.send(datagram, to.port, to.address, () => {
      if (isLast) socket.close();
    });
  }

  return {
    use(address) {
      to = address;
    },

    tick() {
      if (--waitFrames > 0) return;
      waitFrames = randomInt(WAIT_FRAMES_MIN, WAIT_FRAMES_MAX);
      send(false);
    },

    reported: () => ({
      lost: last ? lostBefore + Math.max(0, last.lost) : null,
      jitterMs: reports === 0 ? null : jitterSum / reports / TICKS_PER_MS,
      jitterMaxMs: reports === 0 ? null : jitterMax / TICKS_PER_MS,
    }),

    roundTripMs: () => roundTrip,

    close() {
      if (!isOpen) return;
      if (to) send(true);
      else socket.close();
      isOpen = false;
    },
  };
}
