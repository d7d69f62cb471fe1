// The parts of ECharts that are used, and no others: each import is weight in every
// report.

import { CustomChart, LineChart, ScatterChart } from "echarts/charts";
import { GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import type { CustomSeriesOption, LineSeriesOption, ScatterSeriesOption } from "echarts/charts";
import type { GridComponentOption, LegendComponentOption, TooltipComponentOption } from "echarts/components";
import type { ComposeOption, EChartsType } from "echarts/core";

use([CanvasRenderer, LineChart, ScatterChart, CustomChart, GridComponent, LegendComponent, MarkAreaComponent, MarkLineComponent, TooltipComponent]);

export type Option = ComposeOption<
  CustomSeriesOption | LineSeriesOption | ScatterSeriesOption | GridComponentOption | LegendComponentOption | TooltipComponentOption
>;
export type Instance = EChartsType;
export { init };
